// Checks of what comes in, with errors that name the array and the row (and the column, for tokens).
//
// A `kept` span is one byte for each row, 0 where the row does not count; an empty one keeps every row. Values of rows
// and tokens that do not count are not looked at.
//
// Threads: any; pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "learn/token_rows.h"

namespace kgym::learn {

inline bool IsKept(std::span<const std::uint8_t> kept, std::size_t row) { return kept.empty() || kept[row] != 0; }

Status CheckLength(std::string_view name, std::size_t length, std::size_t rows);

/// The same, or empty.
Status CheckOptional(std::string_view name, std::size_t length, std::size_t rows);

/// The length, and that each value of a kept row is finite.
Status CheckRows(std::string_view name, std::span<const double> values, std::size_t rows,
                 std::span<const std::uint8_t> kept = {});

/// One value for each token; an error names the first row and column that have none.
Status CheckTokenCount(std::string_view name, std::size_t count, const TokenRows& tokens);

/// The same, and finite where the mask is not 0.
Status CheckTokens(std::string_view name, std::span<const double> values, const TokenRows& tokens);

/// An error unless `value` lies within [low, high].
Status CheckRange(std::string_view name, double value, double low, double high);

}  // namespace kgym::learn
