#include "learn/advantage_loo.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "learn/check_input.h"
#include "learn/group_values.h"

namespace kgym::learn {
namespace {

/// Standard deviation of all members but the one whose deviation from the mean of all is `own`.
double DeviationOfOthers(const GroupMoments& all, double own) {
  const double others = static_cast<double>(all.count - 1);
  if (all.count < 3) return 1;
  // Of the squares about the mean of all: less the own one, less the shift of the others' mean.
  const double squares = all.squares - own * own - own * own / others;
  return std::sqrt(std::max(squares, 0.0) / (others - 1));
}

}  // namespace

Status LeaveOneOut(std::span<const double> returns, const Grouping& groups, const LooOptions& options,
                   std::span<double> advantages) {
  KGYM_TRY_VOID(CheckGroupValues("returns", returns, groups, advantages));
  ForEachGroup(returns, groups, advantages, [&](std::span<double> values) {
    if (values.size() == 1) {
      if (options.alone == Alone::kZero) values[0] = 0;
      return;
    }
    const GroupMoments all = MomentsOf(values);
    const double count = static_cast<double>(all.count);
    for (double& value : values) {
      const double own = value - all.mean;
      value = own * (count / (count - 1));
      if (options.scale == LooScale::kStandardDeviation) value /= DeviationOfOthers(all, own) + 1e-8;
    }
  });
  return Ok();
}

Status LeaveEpisodeOut(std::span<const double> returns, std::span<const std::int64_t> trajectories,
                       const Grouping& groups, const LooOptions& options, std::span<double> advantages) {
  KGYM_TRY_VOID(CheckGroupValues("returns", returns, groups, advantages));
  KGYM_TRY_VOID(CheckLength("trajectories", trajectories.size(), returns.size()));
  if (options.scale != LooScale::kNone) return Error{"LeaveEpisodeOut knows no scale; LooScale::kNone is expected"};
  std::vector<double> result(returns.size(), 0);
  struct Sum {
    double of = 0;
    std::size_t count = 0;
  };
  std::unordered_map<std::int64_t, Sum> episodes;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    episodes.clear();
    Sum all;
    for (std::size_t row : groups[g]) {
      Sum& episode = episodes[trajectories[row]];
      episode.of += returns[row];
      ++episode.count;
      all.of += returns[row];
      ++all.count;
    }
    for (std::size_t row : groups[g]) {
      const Sum& own = episodes[trajectories[row]];
      if (own.count == all.count) {
        result[row] = options.alone == Alone::kReturn ? returns[row] : 0;
      } else {
        result[row] = returns[row] - (all.of - own.of) / static_cast<double>(all.count - own.count);
      }
    }
  }
  std::ranges::copy(result, advantages.begin());
  return Ok();
}

}  // namespace kgym::learn
