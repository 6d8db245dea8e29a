#include "learn/whiten.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "learn/check_input.h"

namespace kgym::learn {
namespace {

struct Scale {
  double mean = 0;
  double divisor = 1;
  double shift_back = 0;
  bool unchanged = false;
  bool too_few = false;

  double operator()(double value) const {
    if (too_few) return 0;
    return unchanged ? value : (value - mean) / divisor + shift_back;
  }
};

/// `weight_of(i)` is 0 for what does not count.
template <class WeightOf>
Scale ScaleOf(std::span<const double> values, WeightOf weight_of, const WhitenOptions& options) {
  double count = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const double weight = weight_of(i); weight > 0) {
      count += weight;
      sum += weight * values.data()[i];
    }
  }
  if (count < 2) return {.too_few = true};
  Scale scale{.mean = sum / count};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const double weight = weight_of(i); weight > 0) {
      const double deviation = values.data()[i] - scale.mean;
      squares += weight * deviation * deviation;
    }
  }
  const double variance = squares / (count - 1);
  scale.divisor = std::sqrt(variance + options.variance_epsilon) + options.epsilon;
  if (!options.shift) scale.shift_back = scale.mean;
  scale.unchanged = std::sqrt(variance) < options.floor || scale.divisor == 0;
  return scale;
}

}  // namespace

Status Whiten(std::span<const double> values, std::span<const std::uint8_t> kept, std::span<const std::int64_t> weights,
              const WhitenOptions& options, std::span<double> out) {
  KGYM_TRY_VOID(CheckRows("values", values, values.size(), kept));
  KGYM_TRY_VOID(CheckOptional("weights", weights.size(), values.size()));
  KGYM_TRY_VOID(CheckLength("out", out.size(), values.size()));
  const auto weight_of = [&](std::size_t row) {
    if (!IsKept(kept, row)) return 0.0;
    return weights.empty() ? 1.0 : static_cast<double>(weights[row]);
  };
  const auto negative = std::ranges::find_if(weights, [](std::int64_t weight) { return weight < 0; });
  if (negative != weights.end()) {
    return Error{Concat("weight of row ", negative - weights.begin(), " is ", *negative, "; 0 or more is expected")};
  }
  const Scale scale = ScaleOf(values, weight_of, options);
  for (std::size_t row = 0; row < values.size(); ++row) out[row] = weight_of(row) > 0 ? scale(values[row]) : 0;
  return Ok();
}

Status WhitenTokens(std::span<const double> values, const TokenRows& tokens, const WhitenOptions& options,
                    std::span<double> out) {
  KGYM_TRY_VOID(CheckTokenRows(tokens));
  KGYM_TRY_VOID(CheckTokens("values", values, tokens));
  KGYM_TRY_VOID(CheckLength("out", out.size(), values.size()));
  const std::uint8_t* mask = tokens.mask.data();
  const Scale scale = ScaleOf(
      values, [mask](std::size_t i) { return mask[i] != 0 ? 1.0 : 0.0; }, options);
  for (std::size_t i = 0; i < values.size(); ++i) out.data()[i] = mask[i] != 0 ? scale(values.data()[i]) : 0;
  return Ok();
}

}  // namespace kgym::learn
