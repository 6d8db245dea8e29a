// Returns and advantages of single tokens, within each row: rewards to go, and generalized advantage estimation (GAE).
//
// A token that does not count has no reward, no value and takes no time: sums pass over it.
//
// Threads: any; pure functions.
#pragma once

#include <span>

#include "base/result.h"
#include "learn/token_rows.h"

namespace kgym::learn {

/// G_t = r_t + gamma * G_{t+1}. With gamma 1 and the score on the last token, each token has the row's score.
/// `reset`: published REINFORCE++ sets the sum to 0 at every token that does not count, so that a gap cuts what follows
/// off from what was before.
enum class Gap { kPassOver, kReset };
Status TokenReturns(std::span<const double> rewards, const TokenRows& tokens, double gamma, Gap gap,
                    std::span<double> returns);

/// delta_t = r_t + gamma * V_{t+1} - V_t; A_t = delta_t + gamma * lambda * A_{t+1} (Schulman et al., 2016). The returns
/// are A + V, for the critic. Not whitened: WhitenTokens does that.
Status Gae(std::span<const double> rewards, std::span<const double> values, const TokenRows& tokens, double gamma,
           double lambda, std::span<double> advantages, std::span<double> returns);

}  // namespace kgym::learn
