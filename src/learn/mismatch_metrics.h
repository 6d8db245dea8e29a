// What a training run should watch of the mismatch between rollout and training.
//
// Threads: any; pure functions.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "learn/importance.h"

namespace kgym::learn {

/// Means over the tokens that count, or over the rows that have one ("_seq", "ppl").
struct MismatchMetrics {
  double kl = 0;                             // Mean of rollout - train log-probability: KL(rollout || train), k1.
  double k3 = 0;                             // Mean of exp(d) - d - 1: the same, never negative.
  double chi2_token = 0;                     // Mean of exp(2 d) - 1.
  double chi2_seq = 0;                       // The same of the rows' sums.
  double training_ppl = 0, rollout_ppl = 0;  // Mean over rows of exp(-mean log-probability), at most e^300.
  double training_log_ppl = 0, rollout_log_ppl = 0;  // Mean over rows of -mean log-probability.
  double log_ppl_difference = 0;                     // training - rollout.
  double log_ppl_abs_difference = 0, log_ppl_max_difference = 0, log_ppl_min_difference = 0;
  double ppl_ratio = 0;  // Mean over rows of training over rollout perplexity.

  Json ToJson() const;
};

Result<MismatchMetrics> MeasureMismatch(const MismatchInput& input);

/// The weights of one level, before bounds: over the tokens that count, each with its unit's weight.
struct WeightMetrics {
  double mean = 0, max = 0, min = 0, standard_deviation = 0;
  double effective_sample_share = 0;  // Of the weights clamped to the bounds.
  double share_high = 0, share_low = 0;
  double row_mean = 0, row_max = 0, row_min = 0, row_standard_deviation = 0;  // Over rows: of each its tokens' mean.
  double row_max_deviation = 0;                                               // From 1.

  Json ToJson() const;
};

Result<WeightMetrics> MeasureWeights(const MismatchInput& input, WeightLevel level, double lower, double upper);

}  // namespace kgym::learn
