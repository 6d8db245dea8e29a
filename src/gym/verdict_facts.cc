#include "gym/verdict_facts.h"

namespace kgym::gym {
namespace {

std::optional<double> NumberOf(const Json& json, std::string_view field) {
  if (!json.is_object()) return std::nullopt;
  const Result<double> number = GetDouble(json, field);
  return number ? std::optional(*number) : std::nullopt;
}

std::int64_t CountOf(const Json& json, std::string_view field) {
  if (!json.is_object()) return 0;
  return GetIntOr(json, field, 0).value_or(0);
}

}  // namespace

OutcomeKind KindOf(judge::Outcome outcome) {
  if (outcome == judge::Outcome::kOk) return OutcomeKind::kOk;
  if (outcome == judge::Outcome::kInfra) return OutcomeKind::kInfra;
  return judge::ToString(outcome).starts_with("fail:") ? OutcomeKind::kFail : OutcomeKind::kRejected;
}

RewardFacts FactsOf(const judge::Verdict& verdict) {
  using judge::Outcome;
  RewardFacts facts{.outcome = KindOf(verdict.outcome)};
  if (facts.outcome == OutcomeKind::kInfra) return facts;
  const bool called = verdict.correctness.is_object();
  facts.correct = verdict.outcome == Outcome::kOk;
  facts.format_ok = verdict.outcome != Outcome::kFailFormat;
  const bool unbuilt = verdict.outcome == Outcome::kFailFormat || verdict.outcome == Outcome::kFailCompile ||
                       verdict.outcome == Outcome::kFailLoad;
  // A rejection may come before the build, from the source alone.
  facts.compiled = called || (facts.outcome == OutcomeKind::kFail && !unbuilt);
  facts.tests_passed = CountOf(verdict.correctness, "passed");
  facts.tests_total = CountOf(verdict.correctness, "sets");
  if (facts.correct) {
    facts.speedup = verdict.speedup;
    if (verdict.speedup_interval) {
      facts.speedup_low = verdict.speedup_interval->low;
      facts.speedup_high = verdict.speedup_interval->high;
    }
    facts.coverage = NumberOf(verdict.own_work, "coverage");
  }
  return facts;
}

}  // namespace kgym::gym
