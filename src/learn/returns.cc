#include "learn/returns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/text.h"
#include "learn/check_input.h"
#include "learn/group.h"

namespace kgym::learn {
namespace {

/// The kept rows of each episode in the order of their turns.
Result<Grouping> Episodes(std::span<const double> rewards, const TurnRows& rows) {
  const std::size_t count = rewards.size();
  KGYM_TRY_VOID(CheckLength("trajectories", rows.trajectories.size(), count));
  KGYM_TRY_VOID(CheckLength("turns", rows.turns.size(), count));
  KGYM_TRY_VOID(CheckRows("rewards", rewards, count, rows.kept));
  KGYM_TRY(Grouping episodes, GroupBy(rows.trajectories, rows.kept));
  const auto earlier = [&](std::size_t a, std::size_t b) { return rows.turns[a] < rows.turns[b]; };
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const std::span members = std::span(episodes.members).subspan(episodes.starts[e], episodes[e].size());
    if (!std::ranges::is_sorted(members, earlier)) std::ranges::stable_sort(members, earlier);
    for (std::size_t i = 1; i < members.size(); ++i) {
      if (rows.turns[members[i]] != rows.turns[members[i - 1]]) continue;
      return Error{Concat("row ", members[i], " repeats turn ", rows.turns[members[i]], " of trajectory ",
                          rows.trajectories[members[i]], ", which row ", members[i - 1], " has; keep one of them")};
    }
  }
  return episodes;
}

double Discount(double gamma, std::int64_t steps) {
  return steps == 1 ? gamma : std::pow(gamma, static_cast<double>(steps));
}

}  // namespace

Status Returns(std::span<const double> rewards, const TurnRows& rows, const ReturnOptions& options,
               std::span<double> returns) {
  KGYM_TRY_VOID(CheckRange("gamma", options.gamma, 0, 1));
  KGYM_TRY_VOID(CheckLength("returns", returns.size(), rewards.size()));
  KGYM_TRY(const Grouping episodes, Episodes(rewards, rows));
  std::ranges::fill(returns, 0.0);
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const auto members = episodes[e];
    double following = 0;
    for (std::size_t i = members.size(); i-- > 0;) {
      const std::size_t row = members[i];
      if (i + 1 == members.size()) {
        following = rewards[row];
      } else {
        const double later = Discount(options.gamma, rows.turns[members[i + 1]] - rows.turns[row]) * following;
        if (options.of == ReturnOf::kSum) following = rewards[row] + later;
        if (options.of == ReturnOf::kMax) following = std::max(rewards[row], later);
        if (options.of == ReturnOf::kLast) following = later;
      }
      returns[row] = following;
    }
  }
  return Ok();
}

Status VoidTurns(std::span<const double> rewards, const TurnRows& rows, std::span<std::uint8_t> kept) {
  KGYM_TRY_VOID(CheckLength("kept (out)", kept.size(), rewards.size()));
  KGYM_TRY(const Grouping episodes, Episodes(rewards, rows));
  std::vector<std::uint8_t> result(kept.size(), 0);  // Apart, since `kept` may be what `rows` looks at.
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t row : episodes[e]) {
      result[row] = !(best > 0 && rewards[row] <= 0);
      best = std::max(best, rewards[row]);
    }
  }
  std::ranges::copy(result, kept.begin());
  return Ok();
}

Status ShapeRewards(std::span<const double> rewards, const TurnRows& rows, Shaping shaping, double gamma,
                    std::span<double> shaped) {
  KGYM_TRY_VOID(CheckRange("gamma", gamma, 0, 1));
  KGYM_TRY_VOID(CheckLength("shaped", shaped.size(), rewards.size()));
  KGYM_TRY(const Grouping episodes, Episodes(rewards, rows));
  std::vector<double> result(rewards.size(), 0);
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    const auto members = episodes[e];
    double before = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const bool last = i + 1 == members.size();
      double reward = rewards[members[i]];
      if (shaping == Shaping::kFinalOnly && !last) reward = 0;
      if (shaping == Shaping::kDifferenceOfLastScaled && last) reward *= 1 - gamma;
      const bool difference = shaping == Shaping::kDifference || shaping == Shaping::kDifferenceOfLastScaled;
      result[members[i]] = difference ? reward - before : reward;
      before = reward;
    }
  }
  std::ranges::copy(result, shaped.begin());
  return Ok();
}

}  // namespace kgym::learn
