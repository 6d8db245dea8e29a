#include "learn/entropy.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "learn/check_input.h"

namespace kgym::learn {
namespace {

struct Distribution {
  double log_normalizer = 0;
  double entropy = 0;
  double squares = 0;
};

Distribution DistributionOf(std::span<const double> logits) {
  const double top = *std::ranges::max_element(logits);
  double sum = 0, weighted = 0, squares = 0;
  for (double logit : logits) {
    const double e = std::exp(logit - top);
    sum += e;
    weighted += e * (logit - top);
    squares += e * e;
  }
  return {top + std::log(sum), std::log(sum) - weighted / sum, squares / (sum * sum)};
}

Status Check(std::span<const double> logits, std::size_t vocabulary, const TokenRows& tokens) {
  KGYM_TRY_VOID(CheckTokenRows(tokens));
  if (vocabulary == 0) return Error{"vocabulary is 0; the number of logits of a token is expected"};
  if (logits.size() != tokens.tokens() * vocabulary) {
    return Error{Concat("logits has ", logits.size(), " values; ", tokens.tokens(), " tokens times a vocabulary of ",
                        vocabulary, " is ", tokens.tokens() * vocabulary)};
  }
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    for (std::size_t i = tokens.begin(row); i < tokens.end(row); ++i) {
      if (tokens.mask[i] == 0) continue;
      const auto own = logits.subspan(i * vocabulary, vocabulary);
      const auto bad = std::ranges::find_if(own, [](double logit) { return !std::isfinite(logit); });
      if (bad == own.end()) continue;
      return Error{Concat("logits of row ", row, ", column ", i - tokens.begin(row), ", entry ", bad - own.begin(),
                          " is ", *bad, "; a finite number is expected")};
    }
  }
  return Ok();
}

}  // namespace

Status Entropies(std::span<const double> logits, std::size_t vocabulary, const TokenRows& tokens,
                 std::span<double> entropies, std::span<double> sum_squared_probs) {
  KGYM_TRY_VOID(Check(logits, vocabulary, tokens));
  KGYM_TRY_VOID(CheckLength("entropies", entropies.size(), tokens.tokens()));
  KGYM_TRY_VOID(CheckOptional("sum_squared_probs", sum_squared_probs.size(), tokens.tokens()));
  for (std::size_t i = 0; i < tokens.tokens(); ++i) {
    Distribution distribution;
    if (tokens.mask[i] != 0) distribution = DistributionOf(logits.subspan(i * vocabulary, vocabulary));
    entropies[i] = distribution.entropy;
    if (!sum_squared_probs.empty()) sum_squared_probs[i] = distribution.squares;
  }
  return Ok();
}

Result<double> EntropyBonus(std::span<const double> logits, std::size_t vocabulary, const TokenRows& tokens,
                            const AggregateOptions& aggregate, std::span<double> gradient) {
  KGYM_TRY_VOID(Check(logits, vocabulary, tokens));
  if (!gradient.empty()) KGYM_TRY_VOID(CheckLength("gradient", gradient.size(), logits.size()));
  KGYM_TRY(const std::vector<double> weights, RowWeights(tokens, aggregate));
  std::ranges::fill(gradient, 0.0);
  double bonus = 0;
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    for (std::size_t i = tokens.begin(row); i < tokens.end(row); ++i) {
      if (tokens.mask[i] == 0) continue;
      const auto own = logits.subspan(i * vocabulary, vocabulary);
      const Distribution distribution = DistributionOf(own);
      bonus += weights[row] * distribution.entropy;
      for (std::size_t v = 0; v < vocabulary && !gradient.empty(); ++v) {
        const double log_prob = own[v] - distribution.log_normalizer;
        gradient[i * vocabulary + v] = -weights[row] * std::exp(log_prob) * (log_prob + distribution.entropy);
      }
    }
  }
  return bonus;
}

}  // namespace kgym::learn
