// Multi-turn rejection sampling (MRS, Dr. Kernel): episodes whose geometric mean ratio is off by more than a per mille
// take no part in the update, nor what a veto hits.
//
// As published, rejected rows keep their place in the baseline of the others: what is kept no longer sums to 0 within a
// group, and whatever goes with being rejected (length, say) leaks into the update as a push up or down of everything
// kept. The leak-free form removes them before the leave-one-out mean is taken. docs/methods.md has both measured.
//
// Threads: any; pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "learn/advantage_loo.h"
#include "learn/rejection.h"

namespace kgym::learn {

struct MrsOptions {
  RejectionOptions rejection = {};
  VetoOptions veto = {};

  static MrsOptions Published() { return {.veto = VetoOptions::Published()}; }
};

struct MrsReport {
  double rejected_tokens = 0;  // By the bounds: share of the tokens that counted.
  double rejected_rows = 0;    // By the bounds: share of the rows with tokens.
  VetoReport veto;
  double accepted_tokens = 0;  // By both: share of the tokens that counted.
};

/// accepted = mask, less what either rule rejects.
Result<MrsReport> MrsMask(const MismatchInput& input, const MrsOptions& options, std::span<std::uint8_t> accepted);

/// 1 for each row with a token that counts.
std::vector<std::uint8_t> RowsWithTokens(const TokenRows& tokens);

enum class BaselineRows {
  kAccepted,  // Leak-free.
  kAll,       // Published.
};

/// Leave-one-out advantages by (prompt, turn) of rows that are kept and accepted; 0 for the others. `kept` and
/// `accepted` may be empty: all.
Status RejectedAdvantages(std::span<const double> returns, std::span<const std::int64_t> prompts,
                          std::span<const std::int64_t> turns, std::span<const std::uint8_t> kept,
                          std::span<const std::uint8_t> accepted, BaselineRows baseline, const LooOptions& options,
                          std::span<double> advantages);

}  // namespace kgym::learn
