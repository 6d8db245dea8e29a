#include "learn/importance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "learn/check_input.h"
#include "learn/ratio.h"

namespace kgym::learn {
namespace {

double Bound(double weight, const ImportanceOptions& options) {
  if (options.outside == OutOfBounds::kTruncate) return std::clamp(weight, options.lower, options.upper);
  return weight < options.lower || weight > options.upper ? 0 : weight;
}

/// Sum of the weights, of their squares, and how many there are.
struct Sums {
  double weights = 0, squares = 0, count = 0;
};

Sums SumsOf(std::span<const double> weights, const TokenRows& tokens) {
  Sums sums;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (tokens.mask.data()[i] == 0) continue;
    sums.weights += weights.data()[i];
    sums.squares += weights.data()[i] * weights.data()[i];
    ++sums.count;
  }
  return sums;
}

}  // namespace

Status ImportanceWeights(const MismatchInput& input, const ImportanceOptions& options, std::span<double> weights) {
  KGYM_TRY_VOID(CheckMismatch(input));
  KGYM_TRY_VOID(CheckLength("weights", weights.size(), input.tokens.tokens()));
  if (!(options.lower >= 0 && options.lower <= options.upper)) {
    return Error{Concat("bounds are ", options.lower, " and ", options.upper, "; 0 <= lower <= upper is expected")};
  }
  const bool by_token = options.level == WeightLevel::kToken;
  const std::vector<double> logs = by_token ? std::vector<double>() : RowLogWeights(input, options.level);
  for (std::size_t row = 0; row < input.tokens.rows(); ++row) {
    const double of_row = by_token ? 0 : Bound(std::exp(logs[row]), options);
    for (std::size_t i = input.tokens.begin(row); i < input.tokens.end(row); ++i) {
      const bool counts = input.tokens.mask.data()[i] != 0;
      const double weight = by_token && counts ? Bound(RatioOf(input.difference(i)).value, options) : of_row;
      weights.data()[i] = counts ? weight : 0;
    }
  }
  if (!options.normalize) return Ok();
  const Sums sums = SumsOf(weights, input.tokens);
  if (sums.weights == 0) return Ok();
  for (double& weight : weights) weight *= sums.count / sums.weights;
  return Ok();
}

double EffectiveSampleShare(std::span<const double> weights, const TokenRows& tokens) {
  const Sums sums = SumsOf(weights, tokens);
  return sums.squares == 0 ? 0 : sums.weights * sums.weights / (sums.squares * sums.count);
}

}  // namespace kgym::learn
