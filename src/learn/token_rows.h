// Tokens of many rows in one flat array, padded or packed alike.
//
// A row is one model reply (one turn). Row i has the tokens [offsets[i], offsets[i + 1]) of every flat array; a padded
// matrix is the case of equal steps (PaddedOffsets). Only tokens whose mask is not 0 count: what stands at the others
// is never read, not even checked, and what is written there is 0. So padding can change no result.
//
// Threads: any; views and pure functions. The spans must outlive the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace kgym::learn {

struct TokenRows {
  std::span<const std::int64_t> offsets;  // Rows + 1 values, from 0 up to the number of tokens.
  std::span<const std::uint8_t> mask;     // One for each token.

  std::size_t rows() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::size_t tokens() const { return mask.size(); }
  std::size_t begin(std::size_t row) const { return static_cast<std::size_t>(offsets[row]); }
  std::size_t end(std::size_t row) const { return static_cast<std::size_t>(offsets[row + 1]); }
};

/// An error names the first row whose offsets are wrong.
Status CheckTokenRows(const TokenRows& tokens);

/// 0, columns, 2 * columns, ...: the offsets of a padded matrix.
std::vector<std::int64_t> PaddedOffsets(std::size_t rows, std::size_t columns);

/// Tokens that count, of each row.
std::vector<std::int64_t> KeptTokens(const TokenRows& tokens);

}  // namespace kgym::learn
