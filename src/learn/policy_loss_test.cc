#include "learn/policy_loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/entropy.h"
#include "learn/kl.h"
#include "learn/test_tokens.h"

namespace kgym::learn {
namespace {

using testing::HasSubstr;

constexpr Objective kObjectives[] = {Objective::kPpoClip,
                                     Objective::kGspo,
                                     Objective::kCispo,
                                     Objective::kImportanceSampling,
                                     Objective::kDro,
                                     Objective::kCrossEntropy,
                                     Objective::kRolloutCorrection};
constexpr Aggregation kModes[] = {Aggregation::kTokenMean, Aggregation::kSeqMeanTokenSum,
                                  Aggregation::kSeqMeanTokenMean, Aggregation::kSeqMeanTokenSumNorm, Aggregation::kSum};

PolicyLossInput InputOf(const TestTokens& data) {
  return {data.tokens(), data.log_probs, data.old_log_probs, data.advantages, data.weights};
}

PolicyLossOptions OptionsOf(Objective objective, Aggregation mode) {
  // Through the weight: else the loss is not what its gradient is of.
  PolicyLossOptions options{.objective = objective, .through_weight = true};
  options.aggregate = {.mode = mode, .scale = 3, .max_length = 10};
  return options;
}

/// The largest difference between a gradient and central differences of `loss` in `values`.
template <class Loss>
double GradientError(std::vector<double>& values, const std::vector<double>& gradient, Loss loss) {
  constexpr double kStep = 1e-5;
  double error = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double at = values[i];
    values[i] = at + kStep;
    const double above = loss();
    values[i] = at - kStep;
    const double below = loss();
    values[i] = at;
    error = std::max(error, std::abs((above - below) / (2 * kStep) - gradient[i]));
  }
  return error;
}

TEST(PolicyLoss, GradientsAreThoseOfTheLoss) {
  for (Objective objective : kObjectives) {
    if (objective == Objective::kCispo) continue;  // Holds its ratio fixed; the next test.
    for (Aggregation mode : kModes) {
      TestTokens data(5);
      const PolicyLossOptions options = OptionsOf(objective, mode);
      std::vector<double> gradient(data.mask.size());
      ASSERT_TRUE(ComputePolicyLoss(InputOf(data), options, gradient).ok());
      const double error =
          GradientError(data.log_probs, gradient, [&] { return ComputePolicyLoss(InputOf(data), options, {})->loss; });
      EXPECT_LT(error, 1e-6) << static_cast<int>(objective) << " " << static_cast<int>(mode);
    }
  }
}

TEST(PolicyLoss, WhatIsHeldFixedIsNotDerived) {
  // Of cispo, and of rollout correction as it should be: the gradient of a cross entropy with fixed weights.
  TestTokens data(6);
  for (Objective objective : {Objective::kCispo, Objective::kRolloutCorrection}) {
    PolicyLossOptions options = OptionsOf(objective, Aggregation::kSum);
    options.through_weight = false;
    std::vector<double> gradient(data.mask.size());
    ASSERT_TRUE(ComputePolicyLoss(InputOf(data), options, gradient).ok());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const double ratio = std::exp(data.log_probs[i] - data.old_log_probs[i]);
      const double fixed = objective == Objective::kCispo ? std::clamp(ratio, 0.8, 1.28) : std::min(ratio, 2.0);
      const double expected = data.mask[i] != 0 ? -fixed * data.advantages[i] * data.weights[i] / 3 : 0;
      EXPECT_NEAR(gradient[i], expected, 1e-12);
    }
  }
}

TEST(PolicyLoss, PaddingChangesNothingAndIsNotRead) {
  const TestTokens packed(8);
  const TestTokens padded = Padded(packed, 3);
  for (Objective objective : kObjectives) {
    for (Aggregation mode : kModes) {
      const PolicyLossOptions options = OptionsOf(objective, mode);
      std::vector<double> gradient(packed.mask.size()), padded_gradient(padded.mask.size());
      const double loss = ComputePolicyLoss(InputOf(packed), options, gradient)->loss;
      EXPECT_NEAR(ComputePolicyLoss(InputOf(padded), options, padded_gradient)->loss, loss, 1e-12);
      for (std::size_t i = 0; i < padded.mask.size(); ++i) {
        EXPECT_TRUE(padded.mask[i] != 0 || padded_gradient[i] == 0);
      }
    }
  }
}

/// Rows [begin, end) as a batch of their own.
TestTokens Part(const TestTokens& all, std::size_t begin, std::size_t end) {
  TestTokens part(0, 0);
  const std::size_t first = all.tokens().begin(begin), last = all.tokens().begin(end);
  const auto cut = [&](const auto& values) { return std::vector(values.begin() + first, values.begin() + last); };
  part.mask = cut(all.mask);
  part.log_probs = cut(all.log_probs);
  part.old_log_probs = cut(all.old_log_probs);
  part.advantages = cut(all.advantages);
  part.weights = cut(all.weights);
  for (std::size_t row = begin; row < end; ++row) {
    part.offsets.push_back(static_cast<std::int64_t>(all.tokens().end(row) - first));
  }
  return part;
}

TEST(PolicyLoss, MicroBatchesAddUpToTheBatch) {
  const TestTokens all(9);
  for (Objective objective : kObjectives) {
    for (Aggregation mode : kModes) {
      PolicyLossOptions options = OptionsOf(objective, mode);
      const double whole = ComputePolicyLoss(InputOf(all), options, {})->loss;
      options.aggregate.totals = TotalsOf(all.tokens());
      double sum = 0;
      for (auto [begin, end] : {std::pair(0, 1), std::pair(1, 4), std::pair(4, 6)}) {
        const TestTokens part = Part(all, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
        sum += ComputePolicyLoss(InputOf(part), options, {})->loss;
      }
      EXPECT_NEAR(sum, whole, 1e-12);
    }
  }
}

TEST(PolicyLoss, ExtremesStayFinite) {
  const std::vector<std::int64_t> offsets = {0, 4};
  const std::vector<std::uint8_t> mask(4, 1);
  const std::vector<double> log_probs = {-1e308, 0, -1e4, -1e-300}, old = {0, -1e308, -1e4, -800};
  for (double advantage : {-1e6, 1e6}) {
    for (Objective objective : kObjectives) {
      // A quadratic in 1e308 has no finite value.
      if (objective == Objective::kDro) continue;
      const std::vector<double> advantages(4, advantage);
      PolicyLossOptions options{.objective = objective, .dual_clip = 0};
      options.aggregate.mode = Aggregation::kSum;
      const std::vector<double> moderate = {-700, 0, -1e4, -1e-300}, moderate_old = {0, -700, -1e4, -800};
      std::vector<double> gradient(4);
      const PolicyLossInput input{{offsets, mask}, moderate, moderate_old, advantages};
      EXPECT_TRUE(std::isfinite(ComputePolicyLoss(input, options, gradient)->loss));
      for (double slope : gradient) EXPECT_TRUE(std::isfinite(slope));
    }
  }
  const Result<double> kl = KlLoss(log_probs, old, {offsets, mask}, {}, {}, {});
  EXPECT_TRUE(std::isfinite(kl.value()));
}

TEST(PolicyLoss, ClipSharesCountWhatTheySay) {
  const std::vector<std::int64_t> offsets = {0, 5};
  const std::vector<std::uint8_t> mask(5, 1);
  const std::vector<double> old(5, -5.0), advantages = {1, 1, -1, -1, 1};
  std::vector<double> log_probs;
  for (double ratio : {1.5, 0.5, 5.0, 1.0, 1.0}) log_probs.push_back(-5 + std::log(ratio));
  const PolicyLoss loss = ComputePolicyLoss({{offsets, mask}, log_probs, old, advantages}, {}, {}).value();
  EXPECT_DOUBLE_EQ(loss.clipped_high, 0.2);  // 1.5; of 5.0 the dual bound counts.
  EXPECT_DOUBLE_EQ(loss.clipped_low, 0.4);   // 0.5, and the dual one.
  EXPECT_DOUBLE_EQ(loss.clipped_dual, 0.2);
  EXPECT_NEAR(loss.approximate_kl, -std::log(1.5 * 0.5 * 5.0) / 5, 1e-12);
}

TEST(PolicyLoss, AnAdvantageOfARowIsThatOfItsTokens) {
  TestTokens data(12);
  std::vector<double> of_rows(data.tokens().rows());
  for (std::size_t row = 0; row < of_rows.size(); ++row) {
    of_rows[row] = static_cast<double>(row) - 2.5;
    for (std::size_t i = data.tokens().begin(row); i < data.tokens().end(row); ++i) data.advantages[i] = of_rows[row];
  }
  PolicyLossInput by_row = InputOf(data);
  by_row.advantages = of_rows;
  EXPECT_EQ(ComputePolicyLoss(by_row, {}, {})->loss, ComputePolicyLoss(InputOf(data), {}, {})->loss);
}

TEST(PolicyLoss, ABatchWithoutTokensGivesZero) {
  const std::vector<std::int64_t> offsets = {0, 0, 2};
  const std::vector<std::uint8_t> mask = {0, 0};
  const std::vector<double> nothing(2, std::nan(""));
  const PolicyLoss loss = ComputePolicyLoss({{offsets, mask}, nothing, nothing, nothing}, {}, {}).value();
  EXPECT_EQ(loss.loss, 0);
}

TEST(PolicyLoss, ErrorsNameRowAndColumn) {
  TestTokens data(13);
  std::ranges::fill(data.mask, 1);
  const std::size_t token = data.tokens().begin(3);
  data.old_log_probs[token] = std::nan("");
  EXPECT_THAT(ComputePolicyLoss(InputOf(data), {}, {}).error().message,
              HasSubstr("old_log_probs of row 3, column 0 is nan"));
  PolicyLossInput shorter = InputOf(data);
  shorter.log_probs = shorter.log_probs.subspan(1);
  EXPECT_THAT(ComputePolicyLoss(shorter, {}, {}).error().message, HasSubstr("log_probs has"));
  EXPECT_THAT(ComputePolicyLoss(InputOf(data), {.dual_clip = 0.5}, {}).error().message, HasSubstr("dual_clip is 0.5"));
}

TEST(KlLoss, GradientsAreThoseOfTheLoss) {
  for (KlEstimator estimator : {KlEstimator::kK1, KlEstimator::kAbs, KlEstimator::kK2, KlEstimator::kK3}) {
    for (double clamp : {0.0, 0.1}) {
      TestTokens data(14);
      const KlOptions options{.value_of = estimator, .gradient_of = estimator, .clamp = clamp};
      std::vector<double> gradient(data.mask.size());
      const auto loss = [&](std::span<double> out) {
        return KlLoss(data.log_probs, data.old_log_probs, data.tokens(), options, {}, out).value();
      };
      loss(gradient);
      EXPECT_LT(GradientError(data.log_probs, gradient, [&] { return loss({}); }), 1e-6);
    }
  }
}

TEST(KlLoss, TheDefaultGradientIsThatOfTheDivergenceInExpectation) {
  // Two actions, policy p against reference q: summing over actions instead of sampling them.
  const double p = 0.3, q = 0.6;
  const std::vector<std::int64_t> offsets = {0, 2};
  const std::vector<std::uint8_t> mask(2, 1);
  const std::vector<double> log_probs = {std::log(p), std::log(1 - p)}, reference = {std::log(q), std::log(1 - q)};
  const auto expected_gradient = [&](KlEstimator of) {
    std::vector<double> slope(2);
    const AggregateOptions sum{.mode = Aggregation::kSum};
    KlLoss(log_probs, reference, {offsets, mask}, {.gradient_of = of}, sum, slope).value();
    // d(log p)/dp and d(log(1 - p))/dp, each with its probability.
    return p * slope[0] / p - (1 - p) * slope[1] / (1 - p);
  };
  const double reverse = std::log(p / q) - std::log((1 - p) / (1 - q));  // d KL(p || q) / dp
  const double forward = -q / p + (1 - q) / (1 - p);                     // d KL(q || p) / dp
  EXPECT_NEAR(expected_gradient(KlEstimator::kK2), reverse, 1e-12);
  EXPECT_NEAR(expected_gradient(KlEstimator::kK3), forward, 1e-12);
  EXPECT_NEAR(expected_gradient(KlEstimator::kK1), 0, 1e-12);
}

TEST(Entropy, GradientIsThatOfTheBonus) {
  const std::vector<std::int64_t> offsets = {0, 2, 4};
  const std::vector<std::uint8_t> mask = {1, 1, 0, 1};
  Random random(15);
  std::vector<double> logits(4 * 5), gradient(logits.size());
  for (double& logit : logits) logit = 2 * random.Normal();
  const auto bonus = [&](std::span<double> out) { return EntropyBonus(logits, 5, {offsets, mask}, {}, out).value(); };
  bonus(gradient);
  EXPECT_LT(GradientError(logits, gradient, [&] { return bonus({}); }), 1e-6);
  std::vector<double> entropies(4), squares(4);
  std::ranges::fill(logits, 700.0);  // Uniform, and beyond what exp can take.
  Entropies(logits, 5, {offsets, mask}, entropies, squares).value();
  EXPECT_NEAR(entropies[0], std::log(5), 1e-12);
  EXPECT_NEAR(squares[0], 0.2, 1e-12);
  EXPECT_EQ(entropies[2], 0);
}

}  // namespace
}  // namespace kgym::learn
