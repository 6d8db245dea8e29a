// Advantages for pass@k: the policy is judged by the best of k replies, not by the average one.
//
// Threads: any; pure functions. Rows in no group get 0.
#pragma once

#include <span>

#include "base/result.h"
#include "learn/group.h"

namespace kgym::learn {

/// Best less second best for the best row of the group, 0 for the others (verl's GRPO_PASSK, k = the group's size). Of
/// several equally good rows none is better than the second: all get 0. `by_deviation`: divided by the group's standard
/// deviation + 1e-6.
enum class PasskScale { kNone, kStandardDeviation };
Status BestOfGroup(std::span<const double> returns, const Grouping& groups, PasskScale scale,
                   std::span<double> advantages);

/// The analytical pass@k advantages of Chen et al. (arXiv 2508.10751) for rewards that are solved or not: with N rows
/// of which F fail, P = 1 - C(F, k) / C(N, k) and s = sqrt(P (1 - P)), a solved row gets (1 - P) / s, a failed one (1 -
/// P - C(F - 1, k - 1) / C(N - 1, k - 1)) / s. Both are 0 where s is. A row is solved if its score is at least
/// `threshold`; a group smaller than k gets 0.
Status PassAtKAdvantages(std::span<const double> scores, const Grouping& groups, int k, double threshold,
                         std::span<double> advantages);

}  // namespace kgym::learn
