// Estimators of the divergence KL(policy || reference) from tokens that the policy sampled, and their gradients.
//
// With d = log_prob - reference_log_prob (Schulman, "Approximating KL divergence", 2020):
//
//   kK1   d                      unbiased, of high variance, may be negative
//   kAbs  |d|
//   kK2   d^2 / 2                biased, low variance
//   kK3   exp(-d) - 1 + d        unbiased, never negative; "low_var_kl"
//
// The value of an unbiased estimator does not make its gradient the gradient of KL: as a loss on sampled tokens, the
// expected gradient of kK1 is 0, that of kK3 is that of the forward divergence, and that of kK2 is the right one. So
// `gradient_of` may be chosen apart from the value; kK2 with any value is the straight-through form.
//
// d is bounded to [-20, 20]; the published kK3 is also clamped to [-10, 10] (`clamp`, slope 0 outside).
//
// Threads: any; pure functions.
#pragma once

#include <span>

#include "base/result.h"
#include "learn/aggregate.h"
#include "learn/token_rows.h"

namespace kgym::learn {

enum class KlEstimator { kK1, kAbs, kK2, kK3 };

struct KlOptions {
  KlEstimator value_of = KlEstimator::kK3;
  KlEstimator gradient_of = KlEstimator::kK2;
  double clamp = 0;  // Largest absolute value of a token's estimate; 0 for none.

  /// As verl and Dr. Kernel have "low_var_kl": the slope is the value's own.
  static KlOptions Published() { return {.value_of = KlEstimator::kK3, .gradient_of = KlEstimator::kK3, .clamp = 10}; }
};

/// The estimate of each token; 0 at those that do not count.
Status KlTokens(std::span<const double> log_probs, std::span<const double> reference, const TokenRows& tokens,
                const KlOptions& options, std::span<double> kl);

/// The aggregated estimate; `gradient` is with respect to log_probs, and may be empty.
Result<double> KlLoss(std::span<const double> log_probs, std::span<const double> reference, const TokenRows& tokens,
                      const KlOptions& options, const AggregateOptions& aggregate, std::span<double> gradient);

}  // namespace kgym::learn
