// From losses of tokens to one number: how much each token weighs.
//
// Every mode is a weighted sum whose weights are the same within a row, so a gradient is aggregated as a loss is. With
// the totals of the whole batch, the parts of any split into micro-batches add up to what the batch gives.
//
// Threads: any; pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "learn/token_rows.h"

namespace kgym::learn {

enum class Aggregation {
  kTokenMean,            // Sum over tokens / tokens.
  kSeqMeanTokenSum,      // Mean over rows of the sum over tokens. Dr. Kernel's recipe, with scale 1000.
  kSeqMeanTokenMean,     // Mean over rows of the mean over tokens.
  kSeqMeanTokenSumNorm,  // Sum over tokens / longest row (Dr. GRPO, with a constant length).
  kSum,                  // Sum over tokens.
};

/// What "mean" divides by. Rows without a token that counts are not counted.
struct BatchTotals {
  std::int64_t tokens = 0;
  std::int64_t rows = 0;
};
BatchTotals TotalsOf(const TokenRows& tokens);

struct AggregateOptions {
  Aggregation mode = Aggregation::kTokenMean;
  double scale = 1;                        // The loss is divided by it.
  std::int64_t max_length = 0;             // For kSeqMeanTokenSumNorm: the length to divide by; more than 0.
  double epsilon = 0;                      // Added to each denominator that is a count; published code has 1e-8.
  std::optional<BatchTotals> totals = {};  // Of the whole batch, where these rows are a part of one.
};

/// The weight of each row's tokens; 0 for rows with none.
Result<std::vector<double>> RowWeights(const TokenRows& tokens, const AggregateOptions& options);

/// The weighted sum. A batch without any token that counts gives 0.
Result<double> Aggregate(std::span<const double> losses, const TokenRows& tokens, const AggregateOptions& options);

}  // namespace kgym::learn
