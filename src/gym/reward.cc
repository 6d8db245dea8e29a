#include "gym/reward.h"

namespace kgym::gym {

Json Reward::ToJson() const {
  return {{"reward_format", format},     {"reward_compile", compile},   {"reward_correctness", correctness},
          {"reward_speed", speed},       {"reward_coverage", coverage}, {"reward_length", length},
          {"reward_thinking", thinking}, {"reward_total", total}};
}

const std::vector<std::string>& FactNames() {
  static const std::vector<std::string> names = {
      "ok",           "fail",        "rejected",    "format_ok",       "compiled",     "correct",
      "tests_passed", "tests_total", "tests_share", "timed",           "speedup",      "speedup_low",
      "speedup_high", "coverage",    "code_length", "thinking_length", "has_thinking", "turn"};
  return names;
}

std::vector<double> FactValues(const RewardFacts& facts) {
  const auto is = [&](OutcomeKind kind) { return facts.outcome == kind ? 1.0 : 0.0; };
  const double median = facts.speedup.value_or(0);
  return {is(OutcomeKind::kOk),
          is(OutcomeKind::kFail),
          is(OutcomeKind::kRejected),
          facts.format_ok ? 1.0 : 0.0,
          facts.compiled ? 1.0 : 0.0,
          facts.correct ? 1.0 : 0.0,
          static_cast<double>(facts.tests_passed),
          static_cast<double>(facts.tests_total),
          TestsShare(facts),
          facts.speedup ? 1.0 : 0.0,
          median,
          facts.speedup_low.value_or(median),
          facts.speedup_high.value_or(median),
          facts.coverage.value_or(0),
          static_cast<double>(facts.code_length),
          static_cast<double>(facts.thinking_length),
          facts.has_thinking ? 1.0 : 0.0,
          static_cast<double>(facts.turn)};
}

Result<RewardFunction> RewardFunction::Create(const RewardConfig& config) {
  RewardFunction function(config);
  if (config.preset == RewardPreset::kExpression) {
    KGYM_TRY(function.expression_, Expression::Compile(config.expression, FactNames()));
  }
  return function;
}

Result<std::optional<Reward>> RewardFunction::operator()(const RewardFacts& facts) const {
  if (facts.outcome == OutcomeKind::kInfra) return std::optional<Reward>();
  switch (config_.preset) {
    case RewardPreset::kDrKernel:
      return Evaluate(config_.drkernel, facts);
    case RewardPreset::kKevin:
      return Evaluate(config_.kevin, facts);
    case RewardPreset::kStaged:
      return Evaluate(config_.staged, facts);
    case RewardPreset::kExpression:
      break;
  }
  KGYM_TRY(const double total, expression_->Evaluate(FactValues(facts)));
  return std::optional(Reward{.total = total});
}

}  // namespace kgym::gym
