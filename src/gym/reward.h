// The reward of a turn, by config: one of the published rewards, or an expression of one's own.
//
// Infra verdicts have no reward at all: leave such rows out, or try the evaluation again. They are never a 0.
//
// Threads: any; a RewardFunction is immutable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gym/expression.h"
#include "gym/reward_drkernel.h"
#include "gym/reward_kevin.h"
#include "gym/reward_staged.h"

namespace kgym::gym {

enum class RewardPreset { kDrKernel, kKevin, kStaged, kExpression };

struct RewardConfig {
  RewardPreset preset = RewardPreset::kDrKernel;
  std::string expression = "correct";
  DrKernelReward drkernel = {};
  KevinReward kevin = {};
  StagedReward staged = {};

  template <class Visitor>
  void Visit(Visitor&& field) {
    field("preset", preset, {.meaning = "which reward", .choices = {"drkernel", "kevin", "staged", "expression"}});
    field("expression", expression, {.meaning = "the reward as a formula of the facts, for the preset 'expression'"});
    field.Group("drkernel", drkernel);
    field.Group("kevin", kevin);
    field.Group("staged", staged);
  }
};

class RewardFunction {
 public:
  /// An error names the column of an expression that is wrong.
  static Result<RewardFunction> Create(const RewardConfig& config);

  /// None for infra. An error only where an expression is not finite for these facts.
  Result<std::optional<Reward>> operator()(const RewardFacts& facts) const;

 private:
  explicit RewardFunction(RewardConfig config) : config_(std::move(config)) {}

  RewardConfig config_;
  std::optional<Expression> expression_;
};

/// The names that an expression may use: ok, fail, rejected, format_ok, compiled, correct, tests_passed, tests_total,
/// tests_share, timed, speedup, speedup_low, speedup_high, coverage, code_length, thinking_length, has_thinking, turn.
/// What was not measured is 0.
const std::vector<std::string>& FactNames();
std::vector<double> FactValues(const RewardFacts& facts);

}  // namespace kgym::gym
