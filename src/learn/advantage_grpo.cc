#include "learn/advantage_grpo.h"

#include <algorithm>

#include "base/text.h"
#include "learn/check_input.h"
#include "learn/group_values.h"

namespace kgym::learn {
namespace {

/// A standard deviation below this is rounding.
constexpr double kNoDeviation = 1e-6;

double Divisor(const GrpoOptions& options, double deviation) {
  if (options.scale == GroupScale::kNone) return 1;
  return (deviation < kNoDeviation ? 1 : deviation) + options.epsilon;
}

}  // namespace

Status GroupRelative(std::span<const double> returns, const Grouping& groups, const GrpoOptions& options,
                     std::span<double> advantages) {
  KGYM_TRY_VOID(CheckRange("epsilon", options.epsilon, 0, 1));
  KGYM_TRY_VOID(CheckGroupValues("returns", returns, groups, advantages));
  ForEachGroup(returns, groups, advantages, [&](std::span<double> values) {
    const bool alone = values.size() == 1;
    const GroupMoments moments = alone ? GroupMoments{} : MomentsOf(values);
    const double divisor = Divisor(options, alone ? 1 : moments.deviation());
    for (double& value : values) {
      value = alone && options.alone == Alone::kZero ? 0 : (value - moments.mean) / divisor;
    }
  });
  return Ok();
}

Status GpgAdvantages(std::span<const double> scores, const Grouping& groups, Alone alone, double scale,
                     std::span<double> advantages) {
  if (!(scale > 0)) return Error{Concat("scale is ", scale, "; a number above 0 is expected")};
  KGYM_TRY_VOID(CheckGroupValues("scores", scores, groups, advantages));
  const auto telling = std::ranges::count_if(groups.members, [&](std::size_t row) { return scores[row] != 0; });
  const double factor =
      static_cast<double>(groups.members.size()) / static_cast<double>(std::max<std::ptrdiff_t>(telling, 1));
  const GrpoOptions centred{.scale = GroupScale::kNone, .alone = alone};
  KGYM_TRY_VOID(GroupRelative(scores, groups, centred, advantages));
  for (double& advantage : advantages) advantage *= factor / scale;
  return Ok();
}

}  // namespace kgym::learn
