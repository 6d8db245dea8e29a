#include "gym/reward_staged.h"

#include <algorithm>
#include <cmath>

#include "gym/reward_kevin.h"

namespace kgym::gym {
namespace {

double LengthTerm(std::int64_t characters) {
  return std::clamp((8000.0 - static_cast<double>(characters)) / (8000.0 - 500.0), 0.0, 1.0);
}

double ThinkingTerm(const RewardFacts& facts) {
  if (!facts.has_thinking) return 0.5;
  const double beyond = (static_cast<double>(facts.thinking_length) - 2000.0) / 2000.0;
  return 1.0 - 0.3 * std::clamp(beyond, 0.0, 1.0);
}

double SpeedTerm(double speedup) { return speedup > 1 ? std::min(0.5 * std::log2(speedup), 1.0) : 0; }

}  // namespace

StagedReward StagedReward::Stage(int number) {
  StagedReward stage{.length_weight = 0, .thinking_weight = 0};
  if (number <= 1) {
    stage.format_weight = 0.3, stage.compile_weight = 0.5, stage.correct_weight = 0.2;
  } else if (number == 2) {
    stage.format_weight = 0.1, stage.compile_weight = 0.2, stage.correct_weight = 0.7;
  } else {
    stage.format_weight = 0.05, stage.compile_weight = 0.1, stage.correct_weight = 0.5;
    stage.speed_weight = 0.35;
    stage.partial = false;
  }
  return stage;
}

std::optional<Reward> Evaluate(const StagedReward& config, const RewardFacts& facts) {
  if (facts.outcome == OutcomeKind::kInfra) return std::nullopt;
  const bool rejected = facts.outcome == OutcomeKind::kRejected;
  Reward reward;
  if (facts.format_ok || config.extras_without_code) {
    reward.length = config.length_weight * LengthTerm(facts.code_length);
    reward.thinking = config.thinking_weight * ThinkingTerm(facts);
  }
  reward.speed = config.speed_weight * SpeedTerm(SpeedupOf(facts, config.speedup_from));
  if (config.sparse) {
    if (!facts.correct) return Reward{};
    reward.correctness = 1;
  } else {
    reward.format = config.format_weight * (facts.format_ok ? 1 : config.bad_format);
    reward.compile = config.compile_weight * (rejected ? config.rejected : facts.compiled ? 1 : 0);
    const double share = config.partial ? TestsShare(facts) : facts.correct ? 1 : 0;
    reward.correctness = rejected ? 0 : config.correct_weight * share;
  }
  reward.total = reward.SumOfParts();
  return reward;
}

}  // namespace kgym::gym
