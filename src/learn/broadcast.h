// Between rows and tokens: a row's value at each of its tokens, which is what an advantage becomes where a token-level
// loss wants a number for each, and the sum of a row's tokens.
//
// Both are bound by memory, not by arithmetic, so both go by runs: a mask keeps tokens in long stretches, and what lies
// between them is neither read nor, if so asked, written.
//
// Threads: any; pure functions. One pass, no memory of their own.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "learn/token_rows.h"

namespace kgym::learn {

/// Sums of the tokens that count, a row each: from rewards of tokens to the score of a row, from proxies to its weight.
/// A token that is not finite is an error, as is a sum that is too large to be.
Status RowSums(std::span<const double> values, const TokenRows& tokens, std::span<double> sums);

/// What happens to tokens that do not count.
enum class Masked {
  kZero,
  kLeave,  // Not written: for a buffer used again with the same mask, or whose reader looks at the mask.
};

/// `out` gets values[row] at each token of the row that counts. The value of a row without any is not looked at.
Status Broadcast(std::span<const double> values, const TokenRows& tokens, Masked masked, std::span<double> out);

}  // namespace kgym::learn
