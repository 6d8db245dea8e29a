// The values of a group, brought together, changed in place, and put back: the loop that all estimators share.
//
// Threads: any; pure functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "learn/group.h"

namespace kgym::learn {

struct GroupMoments {
  std::size_t count = 0;
  double mean = 0;
  double squares = 0;  // Sum of squared deviations from the mean.

  /// Unbiased; 0 for fewer than two values.
  double deviation() const { return count < 2 ? 0 : std::sqrt(squares / static_cast<double>(count - 1)); }
};

/// `values` is not empty.
GroupMoments MomentsOf(std::span<const double> values);

/// The lengths agree with the grouping, and the members' values are finite.
Status CheckGroupValues(std::string_view name, std::span<const double> values, const Grouping& groups,
                        std::span<const double> out);

/// Calls `change(std::span<double> values)` for each group; writes what it leaves to `out`, 0 to rows in no group.
template <class Change>
void ForEachGroup(std::span<const double> in, const Grouping& groups, std::span<double> out, Change change) {
  std::vector<double> values;
  std::vector<double> result(in.size(), 0);  // Apart, since `out` may be `in`.
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto members = groups[g];
    values.resize(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) values[i] = in[members[i]];
    change(std::span<double>(values));
    for (std::size_t i = 0; i < members.size(); ++i) result[members[i]] = values[i];
  }
  std::copy(result.begin(), result.end(), out.begin());
}

}  // namespace kgym::learn
