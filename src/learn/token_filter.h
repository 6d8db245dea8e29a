// Token filters: which tokens take part in the loss, as weights of 0 and 1 for PolicyLossInput::weights.
//
// A filtered token still counts in denominators: the loss of the others stays what it was.
//
// Threads: any; pure functions.
#pragma once

#include <span>

#include "base/result.h"
#include "learn/token_rows.h"

namespace kgym::learn {

/// 0 for tokens whose entropy is at most the `quantile` (in [0, 1), linear between order statistics) of the entropies
/// of all tokens that count: only forks in the text are learnt from. A quantile of 0 filters nothing.
Status HighEntropyWeights(std::span<const double> entropies, const TokenRows& tokens, double quantile,
                          std::span<double> weights);

/// 0 for tokens with a negative advantage and an old probability below `threshold`: pushing down what is already rare
/// moves the logits without bound. `advantages`: one for each row, or one for each token.
Status ExtremeRiskWeights(std::span<const double> old_log_probs, std::span<const double> advantages,
                          const TokenRows& tokens, double threshold, std::span<double> weights);

}  // namespace kgym::learn
