#include "learn/group.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "learn/check_input.h"

namespace kgym::learn {
namespace {

struct Range {
  std::int64_t low = 0;
  std::uint64_t width = 1;  // Values from low to low + width - 1; 0 where that overflows.
};

Range RangeOf(std::span<const std::int64_t> values) {
  if (values.empty()) return {};
  const auto [low, high] = std::ranges::minmax(values);
  return {low, static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1};
}

/// Cells of a table that holds every pair; 0 where such a table is not worth its memory.
std::uint64_t TableSize(Range keys, Range turns, std::size_t rows) {
  const std::uint64_t limit = 4 * static_cast<std::uint64_t>(rows) + 1024;
  if (keys.width == 0 || turns.width == 0 || keys.width > limit || turns.width > limit) return 0;
  return keys.width * turns.width > limit ? 0 : keys.width * turns.width;
}

/// A counting sort: one pass to count, one to place.
template <class CellOf>
Grouping ByTable(std::size_t cells, std::size_t rows, std::span<const std::uint8_t> kept, CellOf cell_of) {
  std::vector<std::size_t> next(cells + 1, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    if (IsKept(kept, row)) ++next[cell_of(row)];
  }
  Grouping groups{.rows = rows};
  std::size_t begin = 0;
  for (std::size_t& cell : next) {
    if (cell > 0) groups.starts.push_back(begin);
    begin += std::exchange(cell, begin);
  }
  groups.starts.push_back(begin);
  groups.members.resize(begin);
  for (std::size_t row = 0; row < rows; ++row) {
    if (IsKept(kept, row)) groups.members[next[cell_of(row)]++] = row;
  }
  return groups;
}

template <class Less, class Same>
Grouping BySorting(std::size_t rows, std::span<const std::uint8_t> kept, Less less, Same same) {
  Grouping groups{.rows = rows};
  for (std::size_t row = 0; row < rows; ++row) {
    if (IsKept(kept, row)) groups.members.push_back(row);
  }
  std::ranges::stable_sort(groups.members, less);
  for (std::size_t i = 0; i < groups.members.size(); ++i) {
    if (i == 0 || !same(groups.members[i - 1], groups.members[i])) groups.starts.push_back(i);
  }
  groups.starts.push_back(groups.members.size());
  return groups;
}

}  // namespace

Result<Grouping> GroupBy(std::span<const std::int64_t> keys, std::span<const std::uint8_t> kept) {
  const std::vector<std::int64_t> no_turns(keys.size(), 0);
  return GroupBy(keys, no_turns, kept);
}

Result<Grouping> GroupBy(std::span<const std::int64_t> keys, std::span<const std::int64_t> turns,
                         std::span<const std::uint8_t> kept) {
  const std::size_t rows = keys.size();
  KGYM_TRY_VOID(CheckLength("turns", turns.size(), rows));
  KGYM_TRY_VOID(CheckOptional("kept", kept.size(), rows));
  const Range key_range = RangeOf(keys), turn_range = RangeOf(turns);
  if (const std::uint64_t cells = TableSize(key_range, turn_range, rows); cells > 0) {
    return ByTable(cells, rows, kept, [=](std::size_t row) {
      return static_cast<std::uint64_t>(keys[row] - key_range.low) * turn_range.width +
             static_cast<std::uint64_t>(turns[row] - turn_range.low);
    });
  }
  return BySorting(
      rows, kept,
      [=](std::size_t a, std::size_t b) { return keys[a] != keys[b] ? keys[a] < keys[b] : turns[a] < turns[b]; },
      [=](std::size_t a, std::size_t b) { return keys[a] == keys[b] && turns[a] == turns[b]; });
}

std::vector<std::uint8_t> FirstCopies(std::span<const std::int64_t> identities) {
  std::unordered_set<std::int64_t> seen;
  std::vector<std::uint8_t> first(identities.size());
  for (std::size_t row = 0; row < identities.size(); ++row) first[row] = seen.insert(identities[row]).second;
  return first;
}

}  // namespace kgym::learn
