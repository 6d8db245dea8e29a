// Staged rewards (KernelBench RL): credit on the way to a fast kernel, weighted by where the training is.
//
//   format       1 with code, else bad_format            compile   1; rejected: `rejected`
//   correctness  passed / total where partial, else C    speed     min(0.5 log2(s), 1) where correct and s > 1
//   length       1 up to 500 characters of code, 0 from 8,000 on, linear between
//   thinking     0.5 without, 1 up to 2,000 characters, falling to 0.7 at 4,000
//
// The total is the weighted sum. A reply without code gets the format term only: as published, an empty reply also
// earned the reward for being short (`extras_without_code`). With `sparse`, a wrong submission gets 0 and a correct one
// 1 plus speed, length and thinking.
//
// Threads: any; pure.
#pragma once

#include <optional>

#include "gym/reward_part.h"
#include "gym/reward_speed.h"

namespace kgym::gym {

struct StagedReward {
  double format_weight = 0.1;
  double compile_weight = 0.2;
  double correct_weight = 1.0;
  double speed_weight = 0.0;
  double length_weight = 0.05;
  double thinking_weight = 0.1;
  double bad_format = -0.1;
  double rejected = -1.0;
  bool partial = true;
  bool sparse = false;
  bool extras_without_code = false;
  SpeedupFrom speedup_from = SpeedupFrom::kMedian;

  // To learn the format, then to be correct, then to be fast.
  static StagedReward Stage(int number);
  static StagedReward Sparse() { return {.speed_weight = 0.5, .sparse = true}; }

  template <class Visitor>
  void Visit(Visitor&& field) {
    field("format_weight", format_weight, {.meaning = "weight of the format term"});
    field("compile_weight", compile_weight, {.meaning = "weight of the compile term"});
    field("correct_weight", correct_weight, {.meaning = "weight of the correctness term"});
    field("speed_weight", speed_weight, {.meaning = "weight of the speed term"});
    field("length_weight", length_weight, {.meaning = "weight of the length term"});
    field("thinking_weight", thinking_weight, {.meaning = "weight of the thinking term"});
    field("bad_format", bad_format, {.meaning = "format term of a reply without code"});
    field("rejected", rejected, {.meaning = "compile term of a rejected submission"});
    field("partial", partial, {.meaning = "credit for the input sets that passed"});
    field("sparse", sparse, {.meaning = "nothing for what is not correct"});
    field("extras_without_code", extras_without_code,
          {.meaning = "length and thinking terms for a reply without code"});
    field("speedup_from", speedup_from,
          {.meaning = "which speedup counts", .choices = {"median", "low-end", "distinct-from-one"}});
  }
};

/// None for infra.
std::optional<Reward> Evaluate(const StagedReward& config, const RewardFacts& facts);

}  // namespace kgym::gym
