// Returns: what a turn earned, with what followed from it.
//
// Rows may come in any order: a row is the turn `turns[row]` of the episode `trajectories[row]`. Rows that are not kept
// are as if they were not there, except that time passes: two kept turns t and u are |t - u| discounts apart, whatever
// lies between. They get 0.
//
// Threads: any; pure functions.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"

namespace kgym::learn {

/// The episodes' structure: one value for each row. `kept` may be empty: all kept.
struct TurnRows {
  std::span<const std::int64_t> trajectories;
  std::span<const std::int64_t> turns;
  std::span<const std::uint8_t> kept;
};

enum class ReturnOf {
  kSum,   // G_t = r_t + gamma * G_{t+1}
  kMax,   // G_t = max over u >= t of gamma^(u - t) * r_u
  kLast,  // G_t = gamma^(T - t) * r_T, T the last kept turn
};

struct ReturnOptions {
  double gamma = 1.0;  // In [0, 1].
  ReturnOf of = ReturnOf::kSum;
};

/// Two kept rows of the same turn of one episode are an error: mark copies with FirstCopies first.
Status Returns(std::span<const double> rewards, const TurnRows& rows, const ReturnOptions& options,
               std::span<double> returns);

/// Published (Dr. Kernel): a turn that earns nothing after an earlier one earned something is void: kept[row] = 0. This
/// spares the policy the lesson not to break what works, so nothing here does it unasked. See docs/methods.md.
Status VoidTurns(std::span<const double> rewards, const TurnRows& rows, std::span<std::uint8_t> kept);

enum class Shaping {
  kNone,
  kFinalOnly,               // Every reward but the last kept turn's becomes 0.
  kDifference,              // r'_t = r_t - r_{t-1}: what the turn added. Sums to the last reward.
  kDifferenceOfLastScaled,  // Published "unbiased": the last reward times (1 - gamma) first, then differences.
};

/// `shaped` may be `rewards` itself.
Status ShapeRewards(std::span<const double> rewards, const TurnRows& rows, Shaping shaping, double gamma,
                    std::span<double> shaped);

}  // namespace kgym::learn
