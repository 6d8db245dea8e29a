#include "gym/reward_kevin.h"

#include <algorithm>

namespace kgym::gym {

double TestsShare(const RewardFacts& facts) {
  if (facts.correct) return 1;
  if (facts.tests_total <= 0) return 0;
  return static_cast<double>(facts.tests_passed) / static_cast<double>(facts.tests_total);
}

std::optional<Reward> Evaluate(const KevinReward& config, const RewardFacts& facts) {
  if (facts.outcome == OutcomeKind::kInfra) return std::nullopt;
  Reward reward;
  if (facts.outcome == OutcomeKind::kRejected) {
    reward.compile = config.rejected;
  } else if (!facts.format_ok) {
    reward.format = config.bad_format;
  } else if (!facts.compiled) {
    reward.compile = config.not_compiled;
  } else {
    const bool paid = facts.correct || config.partial;
    reward.correctness = paid ? config.correct_weight * TestsShare(facts) : 0;
    const double speedup = SpeedupOf(facts, config.speedup_from);
    reward.speed = config.speed_weight * std::clamp(speedup - config.speed_offset, 0.0, config.speed_cap);
  }
  reward.total = std::clamp(reward.SumOfParts(), config.clip_low, std::max(config.clip_low, config.clip_high));
  return reward;
}

}  // namespace kgym::gym
