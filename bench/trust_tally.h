// How trustworthy verdicts were: what each case says must happen, how its evaluations ended, and counts of that.
//
// A case's claim follows from the outcomes it expects. A cheat that ends in another rejection, or in a failure, is
// caught all the same: `kOtherwise`. An evaluation without a verdict (`infra`, a problem that cannot be judged) says
// nothing about trust, and neither does a mutant that had not begun to cheat when its verdict fell: both are shown, and
// stay out of every rate.
//
// Threads: any; plain values.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kgym::bench {

enum class Claim {
  kHonest,      // Expects ok, and nothing else.
  kCheat,       // Expects a rejection first.
  kFault,       // Expects a failure first.
  kEither,      // May be ok or not: shown, counted in no total.
  kJudgeFault,  // Expects infra: the judge is at fault by order, and must not blame the submission.
  kMutant,      // A cheat under disguise: any rejection or failure will do.
};

/// "honest", "cheat", "fault", "either", "judge-fault", "mutant".
std::string_view ToString(Claim claim);

/// Never kMutant: what a mutant is is told by where it lies, not by what it expects.
Claim ClaimOf(const std::vector<std::string>& expect);

enum class End {
  kRight,
  kOtherwise,  // Caught, by another word than was expected. Of a mutant: by a failure.
  kWrong,      // A cheat or a fault was ok, an honest submission was not.
  kDormant,
  kNoVerdict,
};

std::string_view ToString(End end);

End EndOf(Claim claim, const std::vector<std::string>& expect, std::string_view outcome);

/// One evaluation.
struct Sample {
  std::string name;  // Of the case.
  std::string outcome, reason;
  double ms = 0;  // Without waiting for a lane; 0 where it is not known.
  End end = End::kNoVerdict;
};

/// A share with its two-sided 95 % interval (Clopper and Pearson: never narrower than it claims). It takes evaluations
/// as independent, which those of one case are only as far as chance decides them.
struct Share {
  std::size_t part = 0, of = 0;
  double low = 0, high = 1;

  double value() const { return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of); }
};
Share ShareOf(std::size_t part, std::size_t of);

/// Counts over the evaluations of one class.
struct Tally {
  Claim claim = Claim::kEither;
  std::set<std::string> cases;
  std::map<End, std::size_t> ends;
  std::map<std::string, std::size_t> outcomes;
  std::vector<double> ms;

  void Add(const Sample& sample);
  void Add(const Tally& other);
  std::size_t Count(End end) const;
  std::size_t runs() const;

  /// Right or caught otherwise, of those that had a verdict and were awake.
  Share Trusted() const;
  Share Wrong() const;
};

}  // namespace kgym::bench
