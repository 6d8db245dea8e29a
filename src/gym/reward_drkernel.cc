#include "gym/reward_drkernel.h"

#include <algorithm>

namespace kgym::gym {
namespace {

/// Correct submissions by speedup, the fastest first.
constexpr struct { double speedup, reward; } kSteps[] = {{3.0, 1.0}, {2.0, 0.8}, {1.5, 0.6}, {1.2, 0.4}, {1.0, 0.2}};

double StepOf(const RewardFacts& facts, double speedup) {
  if (facts.outcome == OutcomeKind::kRejected || !facts.format_ok) return -1.0;
  if (!facts.compiled) return -0.5;
  if (!facts.correct) return -0.3;
  for (const auto& step : kSteps) {
    if (speedup >= step.speedup) return step.reward;
  }
  return -0.1;
}

double SpeedOf(const DrKernelReward& config, double speedup) {
  if (config.form == DrKernelForm::kFaster) return speedup >= 1 + config.epsilon ? 1 : 0;
  return speedup < config.speed_floor ? 0 : std::min(speedup, config.speed_cap);
}

}  // namespace

std::optional<Reward> Evaluate(const DrKernelReward& config, const RewardFacts& facts) {
  if (facts.outcome == OutcomeKind::kInfra) return std::nullopt;
  const double speedup = SpeedupOf(facts, config.speedup_from);
  Reward reward;
  if (config.form == DrKernelForm::kSteps) {
    // A correct kernel that nobody timed is neither fast nor slow.
    reward.correctness = facts.correct && !facts.speedup ? 0 : StepOf(facts, speedup);
  } else if (facts.outcome == OutcomeKind::kRejected || !facts.compiled) {
    reward.correctness = config.penalty;
  } else if (facts.correct) {
    const double coverage = facts.coverage.value_or(0);
    reward.correctness = config.correct_weight;
    reward.speed = config.speed_weight * SpeedOf(config, speedup);
    if (config.coverage == CoverageUse::kScaleSpeed) reward.speed *= coverage;
    if (config.coverage == CoverageUse::kAdd) reward.coverage = config.coverage_weight * coverage;
  }
  reward.total = reward.SumOfParts();
  return reward;
}

}  // namespace kgym::gym
