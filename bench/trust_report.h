// What trust_bench found: a table of classes, totals, everything that went otherwise, and the same as JSON.
//
// Threads: one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "trust_tally.h"

namespace kgym::bench {

class TrustReport {
 public:
  /// `mutants`: the classes are kinds of mutation, a case of it a variant.
  explicit TrustReport(bool mutants) : mutants_(mutants) {}

  /// `group`: the row that counts it; an outcome, or a kind of mutation.
  void Add(const std::string& group, Claim claim, const Sample& sample);

  /// The table, the totals, and what was not as expected, one line for a case and an outcome.
  std::string Text(bool colour) const;

  /// {"classes", "totals", "otherwise"}.
  Json ToJson() const;

  /// Over all classes of one claim.
  Tally Total(Claim claim) const;

  /// Evaluations that ended wrongly, whatever was claimed; and those without a verdict.
  std::size_t wrong() const { return Count(End::kWrong); }
  std::size_t without_verdict() const { return Count(End::kNoVerdict); }

 private:
  struct Otherwise {
    std::string group;
    Sample first;
    std::size_t times = 0;
  };

  std::size_t Count(End end) const;
  std::string Classes(bool colour) const;
  std::string Totals() const;
  std::string Listing(bool colour) const;

  bool mutants_;
  std::map<std::pair<Claim, std::string>, Tally> rows_;
  std::map<std::string, std::size_t> runs_;                             // By case.
  std::map<std::pair<std::string, std::string>, Otherwise> otherwise_;  // By case and outcome.
};

}  // namespace kgym::bench
