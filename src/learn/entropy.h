// The entropy of the distributions that tokens were drawn from, with its gradient, and what else needs whole
// distributions.
//
// `logits` holds `vocabulary` numbers for each token, token after token. For p = softmax(logits) the entropy is
// H = -sum p log p, its gradient dH/dlogit_v = -p_v (log p_v + H).
//
// Threads: any; pure functions.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "learn/aggregate.h"
#include "learn/token_rows.h"

namespace kgym::learn {

/// The entropy of each token, in nats; `sum_squared_probs` (may be empty) gets the sum of p_v^2 of each.
Status Entropies(std::span<const double> logits, std::size_t vocabulary, const TokenRows& tokens,
                 std::span<double> entropies, std::span<double> sum_squared_probs);

/// The aggregated entropy; `gradient` is with respect to the logits, and may be empty. A loss subtracts it.
Result<double> EntropyBonus(std::span<const double> logits, std::size_t vocabulary, const TokenRows& tokens,
                            const AggregateOptions& aggregate, std::span<double> gradient);

}  // namespace kgym::learn
