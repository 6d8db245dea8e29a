// Estimators other than leave-one-out, token returns, whitening, filters of tokens: what the golden vectors do not
// show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "learn/advantage_baseline.h"
#include "learn/advantage_grpo.h"
#include "learn/advantage_passk.h"
#include "learn/broadcast.h"
#include "learn/test_tokens.h"
#include "learn/token_filter.h"
#include "learn/token_returns.h"
#include "learn/whiten.h"

namespace kgym::learn {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

Grouping OneGroup(std::size_t rows) { return GroupBy(std::vector<std::int64_t>(rows, 0)).value(); }

TEST(GroupRelative, IsLeaveOneOutShrunkByItsFactor) {
  const std::vector<double> returns = {1, 4, 2, 7, 3};
  std::vector<double> own(5), others(5);
  GroupRelative(returns, OneGroup(5), GrpoOptions::DrGrpo(), own).value();
  LeaveOneOut(returns, OneGroup(5), {}, others).value();
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(own[i], others[i] * 4 / 5, 1e-12);
}

TEST(GroupRelative, AUniformGroupTeachesNothing) {
  std::vector<double> out(3);
  GroupRelative(std::vector<double>(3, 0.1), OneGroup(3), {}, out).value();
  for (double advantage : out) EXPECT_NEAR(advantage, 0, 1e-12);
}

TEST(BestOfGroup, TiesTeachNothing) {
  std::vector<double> out(3);
  BestOfGroup(std::vector<double>{2, 2, 1}, OneGroup(3), PasskScale::kNone, out).value();
  EXPECT_THAT(out, Each(0));
  BestOfGroup(std::vector<double>{2, 5, 1}, OneGroup(3), PasskScale::kNone, out).value();
  EXPECT_THAT(out, ElementsAre(0, 3, 0));
}

TEST(PassAtKAdvantages, AverageToZeroOverTheGroup) {
  std::vector<double> out(6);
  PassAtKAdvantages(std::vector<double>{1, 0, 0, 1, 0, 0}, OneGroup(6), 3, 1, out).value();
  double sum = 0;
  for (double advantage : out) sum += advantage;
  EXPECT_NEAR(sum, 0, 1e-12);
  EXPECT_GT(out[0], 0);
}

TEST(WeightedBaseline, LeaveOneOutOfEqualWeightsIsLeaveOneOut) {
  const std::vector<double> returns = {1, 4, 2}, weights(3, 2.5);
  std::vector<double> weighted(3), plain(3);
  WeightedBaseline(returns, weights, OneGroup(3), BaselineFrom::kOthers, Alone::kZero, weighted).value();
  LeaveOneOut(returns, OneGroup(3), {}, plain).value();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(weighted[i], plain[i], 1e-12);
  WeightedBaseline(returns, std::vector<double>{0, 0, 3}, OneGroup(3), BaselineFrom::kOthers, Alone::kZero, weighted)
      .value();
  EXPECT_THAT(weighted, ElementsAre(-1, 2, 0));  // Nobody but the last has weight: it is alone.
  EXPECT_THAT(WeightedBaseline(returns, std::vector<double>{1, -1, 1}, OneGroup(3), BaselineFrom::kOthers, Alone::kZero,
                               weighted)
                  .error()
                  .message,
              HasSubstr("weight of row 1 is -1"));
}

TEST(OptimalTokenBaseline, ByColumnWithTheWeightsSoFar) {
  const std::vector<std::int64_t> offsets = {0, 2, 3};
  const std::vector<std::uint8_t> mask(3, 1);
  const std::vector<double> returns = {4, 3, 10}, proxy = {1, 1, 3};
  std::vector<double> out(3);
  const Grouping groups = OneGroup(2);
  OptimalTokenBaseline(returns, proxy, {offsets, mask}, groups, BaselineFrom::kAllOfGroup, Alone::kReturn, out).value();
  const double first = (1 * 4 + 3 * 10) / 4.0;
  EXPECT_THAT(out, ElementsAre(4 - first, 3, 10 - first));  // In column 1 the first row is alone.
  OptimalTokenBaseline(returns, proxy, {offsets, mask}, groups, BaselineFrom::kOthers, Alone::kReturn, out).value();
  EXPECT_THAT(out, ElementsAre(4 - 10, 3, 10 - 4));
}

TEST(OptimalTokenBaseline, TheProxyIsTheSquaredNormOfTheLogitGradient) {
  const std::vector<double> p = {0.2, 0.5, 0.3};
  double squares = 0, norm = 0;
  for (std::size_t v = 0; v < 3; ++v) {
    squares += p[v] * p[v];
    const double slope = (v == 1 ? 1 : 0) - p[v];
    norm += slope * slope;
  }
  std::vector<double> proxy(1);
  GradientNormProxy(std::vector<double>{std::log(0.5)}, std::vector<double>{squares},
                    {std::vector<std::int64_t>{0, 1}, std::vector<std::uint8_t>{1}}, proxy)
      .value();
  EXPECT_NEAR(proxy[0], norm, 1e-12);
}

TEST(InverseVarianceWeights, HaveMeanOneOverGroups) {
  const std::vector<std::int64_t> prompts = {0, 0, 1, 1};
  std::vector<double> weights(4);
  InverseVarianceWeights(std::vector<double>{0, 2, 0, 4}, GroupBy(prompts).value(), 1e-12, weights).value();
  EXPECT_THAT(weights,
              ElementsAre(DoubleNear(1.6, 1e-9), DoubleNear(1.6, 1e-9), DoubleNear(0.4, 1e-9), DoubleNear(0.4, 1e-9)));
}

TEST(SubtractBaseline, OfKeptRows) {
  std::vector<double> out(2);
  SubtractBaseline(std::vector<double>{3, 5}, std::vector<double>{1, 1}, std::vector<std::uint8_t>{1, 0}, out).value();
  EXPECT_THAT(out, ElementsAre(2, 0));
}

const std::vector<std::int64_t> kOffsets = {0, 4};
const std::vector<std::uint8_t> kHole = {1, 0, 1, 1};

TEST(TokenReturns, PassOverAHoleOrStartAnewAtIt) {
  const std::vector<double> rewards = {1, 9, 0, 2};
  std::vector<double> out(4);
  TokenReturns(rewards, {kOffsets, kHole}, 0.5, Gap::kPassOver, out).value();
  EXPECT_THAT(out, ElementsAre(1 + 0.5 * 1, 0, 1, 2));
  TokenReturns(rewards, {kOffsets, kHole}, 0.5, Gap::kReset, out).value();
  EXPECT_THAT(out, ElementsAre(1, 0, 1, 2));
}

TEST(Gae, WithLambdaOneIsTheReturnLessTheValue) {
  const std::vector<double> rewards = {0, 9, 0, 2}, values = {0.5, 9, -1, 0.25};
  std::vector<double> advantages(4), returns(4);
  Gae(rewards, values, {kOffsets, kHole}, 0.9, 1, advantages, returns).value();
  EXPECT_THAT(returns, ElementsAre(DoubleNear(0.81 * 2, 1e-12), 0, DoubleNear(1.8, 1e-12), DoubleNear(2, 1e-12)));
  Gae(rewards, values, {kOffsets, kHole}, 0.9, 0, advantages, returns).value();
  EXPECT_THAT(advantages,
              ElementsAre(DoubleNear(-0.9 - 0.5, 1e-12), 0, DoubleNear(0.225 + 1, 1e-12), DoubleNear(1.75, 1e-12)));
}

TEST(Whiten, WeightsStandForTokens) {
  const std::vector<double> values = {1, 5};
  std::vector<double> rows(2), tokens(4);
  Whiten(values, {}, std::vector<std::int64_t>{1, 3}, WhitenOptions::Verl(), rows).value();
  const std::vector<std::int64_t> offsets = {0, 1, 4};
  const std::vector<std::uint8_t> mask(4, 1);
  Broadcast(values, {offsets, mask}, Masked::kZero, tokens).value();
  WhitenTokens(tokens, {offsets, mask}, WhitenOptions::Verl(), tokens).value();
  EXPECT_NEAR(rows[0], tokens[0], 1e-12);
  EXPECT_NEAR(rows[1], tokens[3], 1e-12);
}

TEST(Whiten, FloorAndTooFew) {
  std::vector<double> out(3);
  Whiten(std::vector<double>{2, 2, 2}, {}, {}, {.floor = 1e-6}, out).value();
  EXPECT_THAT(out, Each(2));
  Whiten(std::vector<double>{2, 5, 9}, std::vector<std::uint8_t>{0, 1, 0}, {}, {}, out).value();
  EXPECT_THAT(out, Each(0));
}

TEST(TokenFilters, KeepForksAndSpareTheRare) {
  const std::vector<double> entropies = {0.1, 99, 0.5, 0.9};
  std::vector<double> weights(4);
  HighEntropyWeights(entropies, {kOffsets, kHole}, 0.5, weights).value();
  EXPECT_THAT(weights, ElementsAre(0, 0, 0, 1));
  HighEntropyWeights(entropies, {kOffsets, kHole}, 0, weights).value();
  EXPECT_THAT(weights, ElementsAre(1, 0, 1, 1));
  ExtremeRiskWeights(std::vector<double>{-20, -20, -1, -20}, std::vector<double>{-1, -1, -1, 1}, {kOffsets, kHole},
                     1e-4, weights)
      .value();
  EXPECT_THAT(weights, ElementsAre(0, 0, 1, 1));
}

TEST(TokenRows, OffsetsMustRise) {
  const std::vector<std::uint8_t> mask(3, 1);
  const auto fault = [&](const std::vector<std::int64_t>& offsets) {
    return CheckTokenRows({offsets, mask}).error().message;
  };
  EXPECT_THAT(fault({0, 2, 1}), HasSubstr("row 1 ends at token 1, before its begin at 2"));
  EXPECT_THAT(fault({0, 2}), HasSubstr("the last row ends at token 2, but mask has 3 tokens"));
  EXPECT_THAT(fault({1, 3}), HasSubstr("offsets[0] is 1"));
  EXPECT_THAT(fault({}), HasSubstr("offsets is empty"));
  EXPECT_EQ(PaddedOffsets(2, 3), (std::vector<std::int64_t>{0, 3, 6}));
}

TEST(Random, ResumesAndRefusesWhatIsNoState) {
  Random random(1);
  random.Next();
  Random resumed = Random::FromState(random.State()).value();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(resumed.Next(), random.Next());
  EXPECT_FALSE(Random::FromState(Json::array({"0", "0", "0", "0"})).ok());
  EXPECT_FALSE(Random::FromState(Json::array({"x", "1", "1", "1"})).ok());
  EXPECT_FALSE(Random::FromState(3).ok());
}

TEST(Random, IsUniform) {
  Random random(2);
  std::vector<int> counts(7);
  double mean = 0, square = 0;
  constexpr int kDraws = 70'000;
  for (int i = 0; i < kDraws; ++i) {
    ++counts[random.Below(7)];
    const double normal = random.Normal();
    mean += normal / kDraws;
    square += normal * normal / kDraws;
  }
  for (int count : counts) EXPECT_NEAR(count, kDraws / 7, 4 * 93);  // 4 standard deviations.
  EXPECT_NEAR(mean, 0, 4 / std::sqrt(kDraws));
  EXPECT_NEAR(square, 1, 4 * std::sqrt(2.0 / kDraws));
}

}  // namespace
}  // namespace kgym::learn
