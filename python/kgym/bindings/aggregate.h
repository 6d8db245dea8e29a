// How losses are aggregated, from the keyword arguments that every loss has.
#pragma once

#include "arrays.h"
#include "learn/aggregate.h"

namespace kgym::python {

inline learn::AggregateOptions AggregateOf(const std::string& mode, double scale, std::int64_t max_length,
                                           std::optional<std::int64_t> total_tokens,
                                           std::optional<std::int64_t> total_rows) {
  using learn::Aggregation;
  learn::AggregateOptions options{
      .mode = Pick<Aggregation>("aggregation", mode,
                                {{"token-mean", Aggregation::kTokenMean},
                                 {"seq-mean-token-sum", Aggregation::kSeqMeanTokenSum},
                                 {"seq-mean-token-mean", Aggregation::kSeqMeanTokenMean},
                                 {"seq-mean-token-sum-norm", Aggregation::kSeqMeanTokenSumNorm},
                                 {"sum", Aggregation::kSum}}),
      .scale = scale,
      .max_length = max_length};
  if (total_tokens.has_value() != total_rows.has_value()) Fail(Error{"total_tokens and total_rows go together"});
  if (total_tokens) options.totals = learn::BatchTotals{*total_tokens, *total_rows};
  return options;
}

}  // namespace kgym::python
