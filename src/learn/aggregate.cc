#include "learn/aggregate.h"

#include "base/text.h"
#include "learn/check_input.h"

namespace kgym::learn {

BatchTotals TotalsOf(const TokenRows& tokens) {
  BatchTotals totals;
  for (std::int64_t count : KeptTokens(tokens)) {
    totals.tokens += count;
    totals.rows += count > 0;
  }
  return totals;
}

Result<std::vector<double>> RowWeights(const TokenRows& tokens, const AggregateOptions& options) {
  KGYM_TRY_VOID(CheckTokenRows(tokens));
  if (!(options.scale > 0)) return Error{Concat("scale is ", options.scale, "; a number above 0 is expected")};
  if (options.mode == Aggregation::kSeqMeanTokenSumNorm && options.max_length < 1) {
    return Error{Concat("max_length is ", options.max_length, "; seq-mean-token-sum-norm divides by it: 1 or more")};
  }
  const BatchTotals totals = options.totals ? *options.totals : TotalsOf(tokens);
  const double all_tokens = static_cast<double>(totals.tokens) + options.epsilon;
  const double all_rows = static_cast<double>(totals.rows) + options.epsilon;
  const std::vector<std::int64_t> lengths = KeptTokens(tokens);
  std::vector<double> weights(tokens.rows(), 0);
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    if (lengths[row] == 0) continue;
    double divisor = 1;
    switch (options.mode) {
      case Aggregation::kTokenMean:
        divisor = all_tokens;
        break;
      case Aggregation::kSeqMeanTokenSum:
        divisor = all_rows;
        break;
      case Aggregation::kSeqMeanTokenMean:
        divisor = all_rows * (static_cast<double>(lengths[row]) + options.epsilon);
        break;
      case Aggregation::kSeqMeanTokenSumNorm:
        divisor = static_cast<double>(options.max_length);
        break;
      case Aggregation::kSum:
        break;
    }
    if (!(divisor > 0)) return Error{"totals count fewer tokens or rows than these rows have"};
    weights[row] = 1 / (divisor * options.scale);
  }
  return weights;
}

Result<double> Aggregate(std::span<const double> losses, const TokenRows& tokens, const AggregateOptions& options) {
  KGYM_TRY(const std::vector<double> weights, RowWeights(tokens, options));
  KGYM_TRY_VOID(CheckTokens("losses", losses, tokens));
  double total = 0;
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    double sum = 0;
    for (std::size_t i = tokens.begin(row); i < tokens.end(row); ++i) {
      if (tokens.mask.data()[i] != 0) sum += losses.data()[i];
    }
    total += weights[row] * sum;
  }
  return total;
}

}  // namespace kgym::learn
