// Groups of rows that are compared with each other: those of one prompt, or of one turn of one prompt.
//
// Only kept rows are members. Groups come in the order of their keys, members in the order of the rows; a group has at
// least one member.
//
// Threads: any; a Grouping is a plain value. The estimators (advantage_*.h) take one and read nothing else of prompts
// and turns, so that any estimator goes with any grouping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace kgym::learn {

struct Grouping {
  std::vector<std::size_t> members = {};  // Row numbers, group after group.
  std::vector<std::size_t> starts = {};   // Where each group begins in `members`, and the end.
  std::size_t rows = 0;                   // All rows, kept or not.

  std::size_t size() const { return starts.empty() ? 0 : starts.size() - 1; }
  std::span<const std::size_t> operator[](std::size_t group) const {
    return std::span(members).subspan(starts[group], starts[group + 1] - starts[group]);
  }
};

/// Rows with the same key.
Result<Grouping> GroupBy(std::span<const std::int64_t> keys, std::span<const std::uint8_t> kept = {});

/// Rows with the same pair, such as (prompt, turn).
Result<Grouping> GroupBy(std::span<const std::int64_t> keys, std::span<const std::int64_t> turns,
                         std::span<const std::uint8_t> kept);

/// 1 for the first row of each identity, 0 for the copies that a batch was padded with. Multiply into `kept` before
/// grouping: a copy would count twice, and as its own baseline.
std::vector<std::uint8_t> FirstCopies(std::span<const std::int64_t> identities);

}  // namespace kgym::learn
