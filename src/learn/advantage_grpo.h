// Group-relative advantages: a return against the mean of its group, itself included.
//
//   Dr. GRPO                    scale kNone: (N - 1) / N times the leave-one-out advantage
//   GRPO                        scale kStandardDeviation
//   turn-independent GRPO       rewards in place of returns, groups by prompt
//   GPG                         GpgAdvantages: Dr. GRPO times rows / (rows whose score is not 0)
//   REINFORCE++ (baseline)      Dr. GRPO, then Whiten over the batch (whiten.h)
//
// Rows in no group get 0. `advantages` may be `returns` itself.
//
// Threads: any; pure functions.
#pragma once

#include <span>

#include "base/result.h"
#include "learn/advantage_loo.h"
#include "learn/group.h"

namespace kgym::learn {

enum class GroupScale {
  kNone,
  kStandardDeviation,  // Unbiased; plus epsilon. One below 1e-6 counts as 1: the group has nothing to tell.
};

struct GrpoOptions {
  GroupScale scale = GroupScale::kStandardDeviation;
  double epsilon = 1e-6;
  Alone alone = Alone::kZero;

  static GrpoOptions DrGrpo() { return {.scale = GroupScale::kNone}; }
  /// Dr. Kernel's code for several turns: never divides, whatever its option says; a row alone keeps its return.
  static GrpoOptions PublishedMultiTurn() { return {.scale = GroupScale::kNone, .alone = Alone::kReturn}; }
  /// Dr. Kernel's and verl's code for outcomes: a row alone has mean 0 and deviation 1.
  static GrpoOptions PublishedOutcome() { return {.alone = Alone::kReturn}; }
};

Status GroupRelative(std::span<const double> returns, const Grouping& groups, const GrpoOptions& options,
                     std::span<double> advantages);

/// `scale` in place of dividing by a deviation (f_norm; 1 in the paper).
Status GpgAdvantages(std::span<const double> scores, const Grouping& groups, Alone alone, double scale,
                     std::span<double> advantages);

}  // namespace kgym::learn
