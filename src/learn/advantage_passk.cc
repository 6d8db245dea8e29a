#include "learn/advantage_passk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "learn/group_values.h"
#include "learn/pass_at_k.h"

namespace kgym::learn {

Status BestOfGroup(std::span<const double> returns, const Grouping& groups, PasskScale scale,
                   std::span<double> advantages) {
  KGYM_TRY_VOID(CheckGroupValues("returns", returns, groups, advantages));
  ForEachGroup(returns, groups, advantages, [&](std::span<double> values) {
    const auto best = std::ranges::max_element(values);
    double second = -std::numeric_limits<double>::infinity();
    for (auto it = values.begin(); it != values.end(); ++it) {
      if (it != best) second = std::max(second, *it);
    }
    const double lead = values.size() == 1 ? 0 : *best - second;
    const double divisor = scale == PasskScale::kNone ? 1 : MomentsOf(values).deviation() + 1e-6;
    const auto winner = best - values.begin();
    std::ranges::fill(values, 0.0);
    values[static_cast<std::size_t>(winner)] = lead / divisor;
  });
  return Ok();
}

Status PassAtKAdvantages(std::span<const double> scores, const Grouping& groups, int k, double threshold,
                         std::span<double> advantages) {
  if (k < 1) return Error{Concat("k is ", k, "; 1 or more is expected")};
  KGYM_TRY_VOID(CheckGroupValues("scores", scores, groups, advantages));
  ForEachGroup(scores, groups, advantages, [&](std::span<double> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    const auto solved = std::ranges::count_if(values, [&](double score) { return score >= threshold; });
    const double fail = count < k ? 0 : FailAtK(count, solved, k);
    const double deviation = std::sqrt(fail * (1 - fail));
    // That the k - 1 others fail too, given that this row failed.
    const double with_failed = deviation == 0 ? 0 : FailAtK(count - 1, solved, k - 1);
    for (double& value : values) {
      const double gain = value >= threshold ? fail : fail - with_failed;
      value = deviation == 0 ? 0 : gain / deviation;
    }
  });
  return Ok();
}

}  // namespace kgym::learn
