#include "trust_tally.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

namespace kgym::bench {
namespace {

constexpr double kOutside = 0.05 / 2;  // Beyond either end of an interval.

bool Refused(std::string_view outcome) { return outcome.starts_with("rejected:") || outcome.starts_with("fail:"); }

}  // namespace

std::string_view ToString(Claim claim) {
  switch (claim) {
    case Claim::kHonest:
      return "honest";
    case Claim::kCheat:
      return "cheat";
    case Claim::kFault:
      return "fault";
    case Claim::kEither:
      return "either";
    case Claim::kJudgeFault:
      return "judge-fault";
    case Claim::kMutant:
      return "mutant";
  }
  return "";
}

std::string_view ToString(End end) {
  switch (end) {
    case End::kRight:
      return "right";
    case End::kOtherwise:
      return "otherwise";
    case End::kWrong:
      return "wrong";
    case End::kDormant:
      return "dormant";
    case End::kNoVerdict:
      return "no-verdict";
  }
  return "";
}

Claim ClaimOf(const std::vector<std::string>& expect) {
  if (std::ranges::find(expect, "ok") != expect.end()) return expect.size() == 1 ? Claim::kHonest : Claim::kEither;
  if (expect.empty()) return Claim::kEither;
  if (expect.front().starts_with("rejected:")) return Claim::kCheat;
  if (expect.front().starts_with("fail:")) return Claim::kFault;
  return Claim::kJudgeFault;
}

End EndOf(Claim claim, const std::vector<std::string>& expect, std::string_view outcome) {
  const bool expected = std::ranges::find(expect, outcome) != expect.end();
  if (outcome != "ok" && !Refused(outcome)) return expected ? End::kRight : End::kNoVerdict;
  if (claim == Claim::kMutant) {
    if (outcome == "ok") return End::kWrong;
    return outcome.starts_with("rejected:") ? End::kRight : End::kOtherwise;
  }
  if (expected) return End::kRight;
  const bool caught = outcome != "ok" && (claim == Claim::kCheat || claim == Claim::kFault || claim == Claim::kEither);
  return caught ? End::kOtherwise : End::kWrong;
}

Share ShareOf(std::size_t part, std::size_t of) {
  Share share{.part = part, .of = of, .low = 0, .high = 1};
  if (of == 0) return share;
  using Binomial = boost::math::binomial_distribution<double>;
  const auto n = static_cast<double>(of), k = static_cast<double>(part);
  if (part > 0) share.low = Binomial::find_lower_bound_on_p(n, k, kOutside);
  if (part < of) share.high = Binomial::find_upper_bound_on_p(n, k, kOutside);
  return share;
}

void Tally::Add(const Sample& sample) {
  cases.insert(sample.name);
  ++ends[sample.end];
  ++outcomes[sample.outcome];
  if (sample.ms > 0) ms.push_back(sample.ms);
}

void Tally::Add(const Tally& other) {
  cases.insert(other.cases.begin(), other.cases.end());
  for (const auto& [end, count] : other.ends) ends[end] += count;
  for (const auto& [outcome, count] : other.outcomes) outcomes[outcome] += count;
  ms.insert(ms.end(), other.ms.begin(), other.ms.end());
}

std::size_t Tally::Count(End end) const {
  const auto found = ends.find(end);
  return found == ends.end() ? 0 : found->second;
}

std::size_t Tally::runs() const {
  std::size_t all = 0;
  for (const auto& [end, count] : ends) all += count;
  return all;
}

Share Tally::Trusted() const {
  const std::size_t trusted = Count(End::kRight) + Count(End::kOtherwise);
  return ShareOf(trusted, trusted + Count(End::kWrong));
}

Share Tally::Wrong() const {
  return ShareOf(Count(End::kWrong), Count(End::kRight) + Count(End::kOtherwise) + Count(End::kWrong));
}

}  // namespace kgym::bench
