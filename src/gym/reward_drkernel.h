// Dr. Kernel's rewards (arXiv 2602.05885, `calculate_reward_*`), for correctness C in {0, 1} and speedup s.
//
//   kSpeedup   w_c C + w_s min(s, cap) + w_v coverage, the last two where C only; s below the floor counts 0
//   kFaster    w_c C + w_s [s >= 1 + epsilon] + w_v coverage
//   kSteps     -1 rejected or no code, -0.5 not compiled, -0.3 wrong; correct: 1.0 from 3x, 0.8 from 2x, 0.6 from 1.5x,
//              0.4 from 1.2x, 0.2 from 1x, else -0.1
//
// The recipe is kSpeedup with the defaults below: at most 0.5 + 1.5 + 0.5 = 2.5. The coverage term is PR, the
// profile-based reward; `kScaleSpeed` is its multiplicative variant: speed is paid for as far as it is the submission's
// own work.
//
// Threads: any; pure.
#pragma once

#include <optional>

#include "gym/reward_part.h"
#include "gym/reward_speed.h"

namespace kgym::gym {

enum class DrKernelForm { kSpeedup, kFaster, kSteps };
enum class CoverageUse { kNone, kAdd, kScaleSpeed };

struct DrKernelReward {
  DrKernelForm form = DrKernelForm::kSpeedup;
  double correct_weight = 0.5;
  double speed_weight = 0.5;
  double speed_cap = 3.0;    // More than this is not paid for.
  double speed_floor = 0.0;  // Less than this counts as 0.
  double epsilon = 0.01;
  double penalty = 0.0;  // What a rejected submission, or one without a kernel to run, gets.
  CoverageUse coverage = CoverageUse::kAdd;
  double coverage_weight = 0.5;
  SpeedupFrom speedup_from = SpeedupFrom::kMedian;

  template <class Visitor>
  void Visit(Visitor&& field) {
    field("form", form, {.meaning = "how speed is paid for", .choices = {"speedup", "faster", "steps"}});
    field("correct_weight", correct_weight, {.meaning = "reward for being correct"});
    field("speed_weight", speed_weight, {.meaning = "reward for each 1x of speedup"});
    field("speed_cap", speed_cap, {.meaning = "largest speedup that is paid for", .unit = "x", .min = 0});
    field("speed_floor", speed_floor, {.meaning = "smallest speedup that is paid for", .unit = "x", .min = 0});
    field("epsilon", epsilon, {.meaning = "how much above 1x is faster, for the form 'faster'", .unit = "x", .min = 0});
    field("penalty", penalty, {.meaning = "reward of a rejected submission, or one that could not be run"});
    field("coverage", coverage, {.meaning = "what coverage does", .choices = {"none", "add", "scale-speed"}});
    field("coverage_weight", coverage_weight, {.meaning = "reward for a coverage of 1"});
    field("speedup_from", speedup_from,
          {.meaning = "which speedup counts", .choices = {"median", "low-end", "distinct-from-one"}});
  }
};

/// None for infra.
std::optional<Reward> Evaluate(const DrKernelReward& config, const RewardFacts& facts);

}  // namespace kgym::gym
