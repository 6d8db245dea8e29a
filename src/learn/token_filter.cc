#include "learn/token_filter.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "learn/check_input.h"
#include "learn/quantile.h"

namespace kgym::learn {

Status HighEntropyWeights(std::span<const double> entropies, const TokenRows& tokens, double quantile,
                          std::span<double> weights) {
  KGYM_TRY_VOID(CheckRange("quantile", quantile, 0, 1));
  KGYM_TRY_VOID(CheckTokenRows(tokens));
  KGYM_TRY_VOID(CheckTokens("entropies", entropies, tokens));
  KGYM_TRY_VOID(CheckLength("weights", weights.size(), tokens.tokens()));
  std::vector<double> kept;
  for (std::size_t i = 0; i < entropies.size(); ++i) {
    if (tokens.mask[i] != 0) kept.push_back(entropies[i]);
  }
  const bool filters = quantile > 0 && !kept.empty();
  const double limit = filters ? Quantile(kept, quantile) : 0;
  for (std::size_t i = 0; i < entropies.size(); ++i) {
    weights[i] = tokens.mask[i] != 0 && (!filters || entropies[i] > limit);
  }
  return Ok();
}

Status ExtremeRiskWeights(std::span<const double> old_log_probs, std::span<const double> advantages,
                          const TokenRows& tokens, double threshold, std::span<double> weights) {
  KGYM_TRY_VOID(CheckRange("threshold", threshold, 0, 1));
  KGYM_TRY_VOID(CheckTokenRows(tokens));
  KGYM_TRY_VOID(CheckTokens("old_log_probs", old_log_probs, tokens));
  KGYM_TRY_VOID(CheckLength("weights", weights.size(), tokens.tokens()));
  const bool by_token = advantages.size() == tokens.tokens();
  KGYM_TRY_VOID(by_token ? CheckTokens("advantages", advantages, tokens)
                         : CheckRows("advantages", advantages, tokens.rows()));
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    for (std::size_t i = tokens.begin(row); i < tokens.end(row); ++i) {
      const bool risky = advantages[by_token ? i : row] < 0 && old_log_probs[i] < std::log(threshold);
      weights[i] = tokens.mask[i] != 0 && !risky;
    }
  }
  return Ok();
}

}  // namespace kgym::learn
