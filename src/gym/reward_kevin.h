// Kevin-32B's reward and the forms others gave it: a gate, then 0.3 for being correct plus the speedup.
//
//   no code          bad_format        not compiled    not_compiled
//   rejected         rejected          wrong           correct_weight * passed / total where partial, else 0
//   correct          correct_weight + speed_weight * clamp(s - offset, 0, cap)
//
// then clipped to [clip_low, clip_high]. Kevin itself has offset 0 and no cap; kernelbench-tinker caps at 10; the seed
// of KernelBench RL has offset 1; a later fork pays -2 for no code, -1 for not compiled, and partial credit.
//
// Threads: any; pure.
#pragma once

#include <optional>

#include "gym/reward_part.h"
#include "gym/reward_speed.h"

namespace kgym::gym {

struct KevinReward {
  double correct_weight = 0.3;
  double speed_weight = 1.0;
  double speed_offset = 0.0;
  double speed_cap = 10.0;
  double bad_format = 0.0;
  double not_compiled = 0.0;
  double rejected = 0.0;
  bool partial = false;
  double clip_low = -1e9;
  double clip_high = 1e9;
  SpeedupFrom speedup_from = SpeedupFrom::kMedian;

  static KevinReward Seed() { return {.speed_offset = 1.0}; }
  static KevinReward Shaped() {
    return {.speed_offset = 1.0, .bad_format = -2.0, .not_compiled = -1.0, .partial = true};
  }

  template <class Visitor>
  void Visit(Visitor&& field) {
    field("correct_weight", correct_weight, {.meaning = "reward for being correct"});
    field("speed_weight", speed_weight, {.meaning = "reward for each 1x of speedup above the offset"});
    field("speed_offset", speed_offset, {.meaning = "speedup that earns nothing", .unit = "x", .min = 0});
    field("speed_cap", speed_cap, {.meaning = "most speedup above the offset that is paid for", .unit = "x", .min = 0});
    field("bad_format", bad_format, {.meaning = "reward of a reply without code"});
    field("not_compiled", not_compiled, {.meaning = "reward of code that did not build or load"});
    field("rejected", rejected, {.meaning = "reward of a rejected submission"});
    field("partial", partial, {.meaning = "credit for the input sets that passed"});
    field("clip_low", clip_low, {.meaning = "least reward"});
    field("clip_high", clip_high, {.meaning = "largest reward"});
    field("speedup_from", speedup_from,
          {.meaning = "which speedup counts", .choices = {"median", "low-end", "distinct-from-one"}});
  }
};

/// None for infra.
std::optional<Reward> Evaluate(const KevinReward& config, const RewardFacts& facts);

/// Passed over total; 1 where correct, 0 where nothing was tested.
double TestsShare(const RewardFacts& facts);

}  // namespace kgym::gym
