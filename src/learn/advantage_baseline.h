// Advantages against baselines other than a plain mean of the group.
//
//   ReMax                     SubtractBaseline: the return of a greedy reply to the same prompt
//   OPO, length-dependent     WeightedBaseline with the rows' token counts as weights
//   optimal baseline          WeightedBaseline with each row's squared gradient norm, or the sum of its
//                             tokens' proxies (RowSums, broadcast.h)
//   optimal token baseline    OptimalTokenBaseline: one baseline for each column, from the proxy summed so far
//
// The variance of a policy gradient is smallest with the baseline E[|g|^2 R] / E[|g|^2]. The proxy of |g|^2 of a token
// is 1 - 2 p + sum over the vocabulary of p_v^2: the squared norm of the gradient with respect to the logits.
//
// Threads: any; pure functions. Rows in no group get 0.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "learn/advantage_loo.h"
#include "learn/group.h"
#include "learn/token_rows.h"

namespace kgym::learn {

Status SubtractBaseline(std::span<const double> returns, std::span<const double> baselines,
                        std::span<const std::uint8_t> kept, std::span<double> advantages);

enum class BaselineFrom {
  kOthers,      // Leave-one-out: unbiased.
  kAllOfGroup,  // As published: itself too, which shrinks the gradient of rows with large weights most.
};

/// A = G - sum(w G) / sum(w). Weights must be 0 or more; where those of the baseline sum to 0, the row is alone.
Status WeightedBaseline(std::span<const double> returns, std::span<const double> weights, const Grouping& groups,
                        BaselineFrom from, Alone alone, std::span<double> advantages);

/// The proxy above for each token, from its log-probability and the sum of squared probabilities.
Status GradientNormProxy(std::span<const double> log_probs, std::span<const double> sum_squared_probs,
                         const TokenRows& tokens, std::span<double> proxy);

/// For column c (position in the row): A = G - sum(W G) / sum(W) over the rows of the group that have column c, where W
/// is the proxy summed over the row up to c. A row that is the only one to reach a column is alone there. Tokens that
/// count are numbered, so that padding moves nothing.
Status OptimalTokenBaseline(std::span<const double> token_returns, std::span<const double> proxy,
                            const TokenRows& tokens, const Grouping& groups, BaselineFrom from, Alone alone,
                            std::span<double> advantages);

/// Weight of each group for a batch of several prompts: proportional to 1 / (variance of its values + epsilon), mean 1
/// over the groups. Rows get their group's weight; multiply it into the advantages.
Status InverseVarianceWeights(std::span<const double> values, const Grouping& groups, double epsilon,
                              std::span<double> weights);

}  // namespace kgym::learn
