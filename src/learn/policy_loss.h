// Policy losses and their gradients with respect to the log-probabilities of the sampled tokens.
//
// With d = log_prob - old_log_prob, r = exp(d) and an advantage A, a token's loss and its slope dL/d(log_prob) are
//
//   kPpoClip            max(-A r, -A clamp(r, 1 - low, 1 + high)), for A < 0 at most -A dual;
//                       -A r, or 0 where clipped
//   kGspo               the same with r = exp(mean of d over the row)
//   kCispo              -clamp(r, 1 - low, 1 + high) A log_prob, the ratio held fixed
//   kImportanceSampling -r A
//   kDro                -(A log_prob - beta / 2 d^2)
//   kCrossEntropy       -A log_prob, A being the weight of the token
//   kRolloutCorrection  -w A log_prob with w = min(r, weight_cap), old being the rollout's log-probabilities; w is held
//                       fixed unless `through_weight`, as Dr. Kernel publishes it
//
// d is clamped to [-20, 20] before the exponential, so that finite input gives finite output; where it is clamped the
// ratio's own slope is 0. docs/methods.md has the sources.
//
// Threads: any; pure functions. One pass over the tokens; memory: one number a row.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "learn/aggregate.h"
#include "learn/token_rows.h"

namespace kgym::learn {

enum class Objective {
  kPpoClip,
  kGspo,
  kCispo,
  kImportanceSampling,
  kDro,
  kCrossEntropy,
  kRolloutCorrection,
};

struct PolicyLossOptions {
  Objective objective = Objective::kPpoClip;
  double clip_low = 0.2;
  double clip_high = 0.28;
  double dual_clip = 3.0;  // More than 1; 0 for none.
  double dro_beta = 0.05;
  double weight_cap = 2.0;
  bool through_weight = false;
  AggregateOptions aggregate = {};
};

struct PolicyLossInput {
  TokenRows tokens;
  std::span<const double> log_probs;
  std::span<const double> old_log_probs;  // May be empty for kCrossEntropy.
  std::span<const double> advantages;     // One for each row, or one for each token; where those are as many: tokens.
  std::span<const double> weights = {};   // Times each token's loss, held fixed (importance weights, token filters).
};

struct PolicyLoss {
  double loss = 0;
  // Shares of the tokens that count (kPpoClip, kGspo, kCispo; 0 for the others).
  double clipped_high = 0;    // r > 1 + high and not dual.
  double clipped_low = 0;     // r < 1 - low, or dual.
  double clipped_dual = 0;    // A < 0 and the dual bound was the smaller.
  double approximate_kl = 0;  // Mean of old_log_prob - log_prob.
};

/// `gradient`: d(loss)/d(log_prob) of each token, 0 at those that do not count. Empty where only the loss is wanted.
Result<PolicyLoss> ComputePolicyLoss(const PolicyLossInput& input, const PolicyLossOptions& options,
                                     std::span<double> gradient);

}  // namespace kgym::learn
