// Importance weights, rejection, veto, MRS and their metrics: what the golden vectors do not show.
#include "learn/mismatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/importance.h"
#include "learn/mismatch_metrics.h"
#include "learn/mrs.h"
#include "learn/test_tokens.h"

namespace kgym::learn {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr WeightLevel kLevels[] = {WeightLevel::kToken, WeightLevel::kTurn, WeightLevel::kTurnGeometric,
                                   WeightLevel::kSequence, WeightLevel::kGeometric};

/// Two episodes of two rows with two tokens each; `d` is the difference of each token.
struct FourRows {
  explicit FourRows(std::vector<double> d) : train(std::move(d)), rollout(8, 0.0) {}
  MismatchInput input() const { return {{offsets, mask}, train, rollout, trajectories}; }
  std::vector<std::int64_t> offsets = {0, 2, 4, 6, 8}, trajectories = {5, 5, 9, 9};
  std::vector<std::uint8_t> mask = std::vector<std::uint8_t>(8, 1);
  std::vector<double> train, rollout;
};

TEST(ImportanceWeights, PaddingChangesNothing) {
  const TestTokens packed(21);
  const TestTokens padded = Padded(packed, 2);
  for (WeightLevel level : kLevels) {
    std::vector<double> weights(packed.mask.size()), padded_weights(padded.mask.size());
    ImportanceWeights(packed.mismatch(), {.level = level, .normalize = true}, weights).value();
    ImportanceWeights(padded.mismatch(), {.level = level, .normalize = true}, padded_weights).value();
    std::vector<double> counted;
    for (std::size_t row = 0; row < packed.tokens().rows(); ++row) {
      const auto begin = padded_weights.begin() + padded.offsets[row];
      counted.insert(counted.end(), begin, begin + (packed.offsets[row + 1] - packed.offsets[row]));
    }
    for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_NEAR(counted[i], weights[i], 1e-12);
  }
}

TEST(ImportanceWeights, NormalizedOnesHaveMeanOne) {
  const TestTokens data(22);
  std::vector<double> weights(data.mask.size());
  ImportanceWeights(data.mismatch(), {.normalize = true}, weights).value();
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i], count += data.mask[i];
  EXPECT_NEAR(sum / count, 1, 1e-12);
}

TEST(ImportanceWeights, ExtremesStayFinite) {
  const FourRows extreme({-1e308, 1e308, 1e308, 1e308, -1e308, -1e308, 800, -800});
  for (WeightLevel level : kLevels) {
    std::vector<double> weights(8);
    ImportanceWeights(extreme.input(), {.level = level, .upper = 1e300}, weights).value();
    for (double weight : weights) EXPECT_TRUE(std::isfinite(weight));
  }
  // A name of its own: items() points into it.
  const Json metrics = MeasureMismatch(FourRows({800, -800, 1, 2, 3, 4, 5, -900}).input())->ToJson();
  for (const auto& [name, value] : metrics.items()) {
    EXPECT_TRUE(std::isfinite(value.get<double>())) << name;
  }
}

TEST(RejectOutside, TheWholeEpisodeSharesItsFate) {
  const FourRows data({0.002, 0.002, 0, 0, 0.0001, 0, 0, 0});
  std::vector<std::uint8_t> accepted(8);
  // Of the first episode the mean is 0.001, just outside log(1.001).
  RejectOutside(data.input(), {}, accepted).value();
  EXPECT_THAT(accepted, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

TEST(Veto, RowOrEpisodeOneSideOrBoth) {
  const FourRows data({-10, 0, 0, 0, 0, 10, 0, 0});
  std::vector<std::uint8_t> accepted(8);
  const VetoReport published = Veto(data.input(), VetoOptions::Published(), accepted).value();
  EXPECT_THAT(accepted, ElementsAre(0, 0, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(published.rows, 0.25);
  EXPECT_EQ(published.tokens, 0.125);
  EXPECT_EQ(Veto(data.input(), {}, accepted)->rows, 1);
  EXPECT_THAT(accepted, Each(0));
}

TEST(BoundsForShare, RejectsNoMoreThanAsked) {
  const FourRows data({1, 1, 1, 1, 0.1, 0.1, 0.1, 0.1});
  std::vector<std::uint8_t> accepted(8);
  const RejectionOptions half = BoundsForShare(data.input(), {.level = WeightLevel::kTurn}, 0.5).value();
  RejectOutside(data.input(), half, accepted).value();
  EXPECT_THAT(accepted, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_EQ(BoundsForShare(data.input(), {.upper = 100}, 0.5)->upper, 100);  // Wide enough as it is.
}

TEST(Mrs, ReportsWhatItRejected) {
  const FourRows data({0.01, 0.01, 0.01, 0.01, -10, 10, 0, 0});
  std::vector<std::uint8_t> accepted(8);
  const MrsReport report = MrsMask(data.input(), MrsOptions::Published(), accepted).value();
  EXPECT_THAT(accepted, ElementsAre(0, 0, 0, 0, 0, 0, 1, 1));
  EXPECT_EQ(report.rejected_rows, 0.5);
  EXPECT_EQ(report.veto.rows, 0.25);
  EXPECT_EQ(report.accepted_tokens, 0.25);
}

std::vector<double> Advantages(BaselineRows baseline) {
  const std::vector<double> returns = {1, 2, 9};
  const std::vector<std::int64_t> prompts(3, 0), turns(3, 1);
  std::vector<double> out(3);
  RejectedAdvantages(returns, prompts, turns, {}, std::vector<std::uint8_t>{1, 1, 0}, baseline, {}, out).value();
  return out;
}

TEST(Mrs, LeakFreeAdvantagesOfWhatIsKeptSumToZero) {
  EXPECT_THAT(Advantages(BaselineRows::kAccepted), ElementsAre(-1, 1, 0));
  EXPECT_THAT(Advantages(BaselineRows::kAll), ElementsAre(-4.5, -3, 0));
}

/// Rejection that goes with the action and with the reward. Among what is kept no action is better, so the gradient of
/// its expected reward is 0.
double MeanGradient(BaselineRows baseline, double offset) {
  Random random(31);
  constexpr std::size_t kGroup = 4;
  const std::vector<std::int64_t> prompts(kGroup, 0), turns(kGroup, 1);
  std::vector<double> returns(kGroup), out(kGroup);
  std::vector<std::uint8_t> accepted(kGroup);
  std::vector<int> actions(kGroup);
  double sum = 0;
  constexpr int kBatches = 60'000;
  for (int batch = 0; batch < kBatches; ++batch) {
    for (std::size_t i = 0; i < kGroup; ++i) {
      actions[i] = random.Uniform() < 0.5;
      accepted[i] = random.Uniform() < (actions[i] == 1 ? 0.9 : 0.5);
      returns[i] = offset + (accepted[i] != 0 ? 1 : -1) + random.Normal();
    }
    RejectedAdvantages(returns, prompts, turns, {}, accepted, baseline, {}, out).value();
    for (std::size_t i = 0; i < kGroup; ++i) sum += out[i] * (actions[i] - 0.5) / kGroup;
  }
  return sum / kBatches;
}

TEST(MrsSimulation, ThePublishedBaselineLeaksWhatGoesWithBeingRejected) {
  // Standard error of either: about 0.0015. The leak is (E[r | kept] - E[r]) dP(kept)/dlogit = (1 - 0.4) * 0.25 * 0.4.
  EXPECT_NEAR(MeanGradient(BaselineRows::kAccepted, 5), 0, 0.0045);
  EXPECT_NEAR(MeanGradient(BaselineRows::kAll, 5), 0.06, 0.0045);
}

TEST(Mismatch, ErrorsNameRowAndColumn) {
  FourRows data(std::vector<double>(8, 0.0));
  data.train[3] = std::nan("");
  std::vector<double> weights(8);
  EXPECT_THAT(ImportanceWeights(data.input(), {}, weights).error().message,
              HasSubstr("train_log_probs of row 1, column 1 is nan"));
  data.train[3] = 0;
  data.trajectories.pop_back();
  EXPECT_THAT(MeasureMismatch(data.input()).error().message, HasSubstr("trajectories has 3 values for 4 rows"));
}

}  // namespace
}  // namespace kgym::learn
