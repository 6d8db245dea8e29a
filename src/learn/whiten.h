// Whitening: values of a whole batch brought to mean 0 and standard deviation 1.
//
//   REINFORCE (Dr. Kernel)     Whiten(returns)
//   REINFORCE++                TokenReturns, then WhitenTokens
//   REINFORCE++ with baseline  GroupRelative without scale, then Whiten with the rows' token counts as weights
//   batch_std (Dr. Kernel)     Whiten after any estimator, floor 1e-6
//
// Threads: any; pure functions. `out` may be the input itself.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "learn/token_rows.h"

namespace kgym::learn {

struct WhitenOptions {
  double epsilon = 1e-6;        // Added to the standard deviation.
  double variance_epsilon = 0;  // Added to the variance, as verl does (1e-8, and then no `epsilon`).
  double floor = 0;             // Values stay as they are where the standard deviation is below it.
  bool shift = true;            // False: the mean is added back.

  static WhitenOptions Verl() { return {.epsilon = 0, .variance_epsilon = 1e-8}; }
};

/// Over kept rows; the others get 0. `weights`, if any, say how many tokens a row's value stands for: mean and
/// (unbiased) variance are then those of the tokens. Fewer than two values give 0.
Status Whiten(std::span<const double> values, std::span<const std::uint8_t> kept, std::span<const std::int64_t> weights,
              const WhitenOptions& options, std::span<double> out);

Status WhitenTokens(std::span<const double> values, const TokenRows& tokens, const WhitenOptions& options,
                    std::span<double> out);

}  // namespace kgym::learn
