// Leave-one-out advantages: a return less the mean return of the others in its group.
//
// The others' returns do not depend on what this row did, so the baseline adds no bias to the policy gradient: the
// estimator is unbiased, while a mean that includes the row itself shrinks the gradient by (N - 1) / N (docs/methods.md
// has the proof, advantage_loo_test.cc the simulation).
//
//   TRLOO (Dr. Kernel)   LeaveOneOut over groups by (prompt, turn)
//   RLOO                 LeaveOneOut over groups by prompt, one row an episode
//   ERLOO                LeaveEpisodeOut over groups by prompt, every turn a row
//
// Rows in no group get 0. `advantages` may be `returns` itself.
//
// Threads: any; pure functions.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "learn/group.h"

namespace kgym::learn {

/// What a group of one gets: there is nothing to compare it with.
enum class Alone {
  kZero,
  kReturn,  // Its return with no baseline: unbiased too, but of another scale than its neighbours'.
};

enum class LooScale {
  kNone,
  kStandardDeviation,  // Divided by the others' unbiased standard deviation + 1e-8; by 1 + 1e-8 where only one is left.
};

struct LooOptions {
  Alone alone = Alone::kZero;
  LooScale scale = LooScale::kNone;

  /// As Dr. Kernel's published code has it.
  static LooOptions Published() { return {.alone = Alone::kReturn}; }
};

Status LeaveOneOut(std::span<const double> returns, const Grouping& groups, const LooOptions& options,
                   std::span<double> advantages);

/// Leaves out every row of the same episode: returns of one episode's turns share what it did. A row whose group has no
/// other episode is alone. `options.scale` must be kNone.
Status LeaveEpisodeOut(std::span<const double> returns, std::span<const std::int64_t> trajectories,
                       const Grouping& groups, const LooOptions& options, std::span<double> advantages);

}  // namespace kgym::learn
