#include "learn/kl.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "learn/check_input.h"
#include "learn/ratio.h"

namespace kgym::learn {
namespace {

struct Estimate {
  double value = 0;
  double slope = 0;
};

Estimate EstimateOf(KlEstimator estimator, double difference, double clamp) {
  const double d = std::clamp(difference, -kRatioBound, kRatioBound);
  Estimate estimate;
  switch (estimator) {
    case KlEstimator::kK1:
      estimate = {d, 1};
      break;
    case KlEstimator::kAbs:
      estimate = {std::abs(d), d > 0 ? 1.0 : d < 0 ? -1.0 : 0.0};
      break;
    case KlEstimator::kK2:
      estimate = {d * d / 2, d};
      break;
    // expm1: near 0 the estimate is d^2 / 2, far below the rounding of exp(-d) - 1.
    case KlEstimator::kK3:
      estimate = {std::expm1(-d) + d, -std::expm1(-d)};
      break;
  }
  if (d != difference) estimate.slope = 0;
  if (clamp > 0 && std::abs(estimate.value) > clamp) estimate = {std::copysign(clamp, estimate.value), 0};
  return estimate;
}

Status Check(std::span<const double> log_probs, std::span<const double> reference, const TokenRows& tokens,
             const KlOptions& options) {
  KGYM_TRY_VOID(CheckRange("clamp", options.clamp, 0, 1e9));
  KGYM_TRY_VOID(CheckTokenRows(tokens));
  KGYM_TRY_VOID(CheckTokens("log_probs", log_probs, tokens));
  return CheckTokens("reference", reference, tokens);
}

}  // namespace

Status KlTokens(std::span<const double> log_probs, std::span<const double> reference, const TokenRows& tokens,
                const KlOptions& options, std::span<double> kl) {
  KGYM_TRY_VOID(Check(log_probs, reference, tokens, options));
  KGYM_TRY_VOID(CheckLength("kl", kl.size(), log_probs.size()));
  for (std::size_t i = 0; i < kl.size(); ++i) {
    const bool counts = tokens.mask.data()[i] != 0;
    const double difference = counts ? log_probs.data()[i] - reference.data()[i] : 0;
    kl.data()[i] = counts ? EstimateOf(options.value_of, difference, options.clamp).value : 0;
  }
  return Ok();
}

Result<double> KlLoss(std::span<const double> log_probs, std::span<const double> reference, const TokenRows& tokens,
                      const KlOptions& options, const AggregateOptions& aggregate, std::span<double> gradient) {
  KGYM_TRY_VOID(Check(log_probs, reference, tokens, options));
  if (!gradient.empty()) KGYM_TRY_VOID(CheckLength("gradient", gradient.size(), log_probs.size()));
  KGYM_TRY(const std::vector<double> weights, RowWeights(tokens, aggregate));
  double loss = 0;
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    for (std::size_t i = tokens.begin(row); i < tokens.end(row); ++i) {
      double slope = 0;
      if (tokens.mask.data()[i] != 0) {
        const double difference = log_probs.data()[i] - reference.data()[i];
        loss += weights[row] * EstimateOf(options.value_of, difference, options.clamp).value;
        slope = EstimateOf(options.gradient_of, difference, options.clamp).slope;
      }
      if (!gradient.empty()) gradient.data()[i] = weights[row] * slope;
    }
  }
  return loss;
}

}  // namespace kgym::learn
