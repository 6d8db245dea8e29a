#include "learn/prs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "learn/mrs.h"
#include "learn/random.h"

namespace kgym::learn {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::int64_t> kTrajectories = {0, 0, 1, 1}, kTurns = {1, 2, 1, 2};
const std::vector<double> kCoverage = {0.35, 0.9, 0, 0.9}, kSpeedup = {1, 1, 0, 3};
const std::vector<std::uint8_t> kCorrect = {1, 1, 0, 1};

std::vector<double> ProbabilitiesOf(const PrsOptions& options) {
  std::vector<double> out(4);
  KeepProbabilities({kCoverage, kCorrect, kSpeedup}, {kTrajectories, kTurns, {}}, options, out).value();
  return out;
}

TEST(KeepProbabilities, OfTurnsAndEpisodes) {
  EXPECT_THAT(ProbabilitiesOf({}), ElementsAre(DoubleNear(0.5, 1e-12), 1, 1, 1));
  EXPECT_THAT(ProbabilitiesOf({.level = PrsLevel::kGeometric, .ramp = 0}), ElementsAre(1, 1, 1, 1));
  // As published, one wrong turn takes its correct neighbours with it.
  EXPECT_THAT(ProbabilitiesOf(PrsOptions::PublishedGeometric()), ElementsAre(1, 1, 1, 0));
  EXPECT_THAT(ProbabilitiesOf({.threshold = 0.95, .speedup_threshold = 2}), ElementsAre(0, 0, 1, 1));
}

TEST(KeepProbabilities, CoverageIsAShare) {
  std::vector<double> out(4);
  const std::vector<double> wrong = {0.1, 1.5, 0, 0};
  EXPECT_THAT(KeepProbabilities({wrong, kCorrect, {}}, {kTrajectories, kTurns, {}}, {}, out).error().message,
              HasSubstr("coverage of row 1 is 1.5"));
}

TEST(DrawKept, DependsOnNothingButSeedEpisodeAndTurn) {
  constexpr std::size_t kRows = 4000;
  std::vector<std::int64_t> trajectories(kRows), turns(kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    trajectories[row] = static_cast<std::int64_t>(row / 2);
    turns[row] = static_cast<std::int64_t>(row % 2);
  }
  const std::vector<double> probabilities(kRows, 0.3);
  std::vector<std::uint8_t> all(kRows), half(kRows / 2), other(kRows);
  DrawKept(probabilities, {trajectories, turns, {}}, {}, 5, all).value();
  DrawKept(std::span(probabilities).first(kRows / 2),
           {std::span(trajectories).last(kRows / 2), std::span(turns).last(kRows / 2), {}}, {}, 5, half)
      .value();
  EXPECT_TRUE(std::equal(half.begin(), half.end(), all.begin() + kRows / 2));
  DrawKept(probabilities, {trajectories, turns, {}}, {}, 6, other).value();
  EXPECT_NE(all, other);
  // 0.3 within 4 standard errors of 0.0072.
  const double kept = static_cast<double>(std::count(all.begin(), all.end(), 1)) / kRows;
  EXPECT_NEAR(kept, 0.3, 0.029);
}

TEST(DrawKept, AnEpisodeJudgedAsOneIsDrawnAsOne) {
  std::vector<std::uint8_t> kept(4);
  const std::vector<double> probabilities(4, 0.5);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    DrawKept(probabilities, {kTrajectories, kTurns, {}}, {.level = PrsLevel::kGeometric}, seed, kept).value();
    EXPECT_EQ(kept[0], kept[1]);
    EXPECT_EQ(kept[2], kept[3]);
  }
}

/// A policy between two ways to optimise: easy (correct with `easy_success`, a little faster, its own kernels do 5 % of
/// the work) and hard (correct one time in four, three times faster, coverage 1). The share of hard after training.
double HardShareAfterTraining(bool prs, double easy_success = 1, int steps = 1200) {
  Random random(41);
  constexpr std::size_t kGroup = 16;
  constexpr double kRate = 0.5;
  double logit = -2;
  const std::vector<std::int64_t> prompts(kGroup, 0), turns(kGroup, 1);
  std::vector<double> returns(kGroup), coverage(kGroup), probabilities(kGroup), advantages(kGroup);
  std::vector<std::uint8_t> correct(kGroup), accepted(kGroup), hard(kGroup);
  std::vector<std::int64_t> trajectories(kGroup);
  for (int step = 0; step < steps; ++step) {
    const double share = 1 / (1 + std::exp(-logit));
    for (std::size_t i = 0; i < kGroup; ++i) {
      hard[i] = random.Uniform() < share;
      correct[i] = random.Uniform() < (hard[i] == 0 ? easy_success : 0.25);
      // Dr. Kernel's reward without PR: 0.5 + 0.5 * speedup where correct.
      returns[i] = correct[i] == 0 ? 0 : 0.5 + 0.5 * (hard[i] != 0 ? 3.0 : 1.1);
      coverage[i] = correct[i] == 0 ? 0 : hard[i] != 0 ? 1.0 : 0.05;
      trajectories[i] = static_cast<std::int64_t>(i);
    }
    const TurnRows rows{trajectories, turns, {}};
    KeepProbabilities({coverage, correct, {}}, rows, {}, probabilities).value();
    if (!prs) std::fill(probabilities.begin(), probabilities.end(), 1.0);
    DrawKept(probabilities, rows, {}, static_cast<std::uint64_t>(step), accepted).value();
    RejectedAdvantages(returns, prompts, turns, {}, accepted, BaselineRows::kAccepted, {}, advantages).value();
    double gradient = 0;
    for (std::size_t i = 0; i < kGroup; ++i) gradient += advantages[i] * (hard[i] - share) / kGroup;
    logit += kRate * gradient;
  }
  return 1 / (1 + std::exp(-logit));
}

TEST(PrsSimulation, EasySmallGainsWinWithoutItAndLargeHardOnesWithIt) {
  // Easy earns 1.05 each time, hard 2.0 one time in four: without PRS the policy settles on easy.
  EXPECT_LT(HardShareAfterTraining(false), 0.02);
  // With it easy is never seen; what is left to compare is hard that worked and hard that did not, which moves nothing
  // in expectation, so that the policy is no longer drawn away from hard.
  EXPECT_GT(HardShareAfterTraining(true), HardShareAfterTraining(false) + 0.05);
}

TEST(PrsSimulation, ClimbsWhereEasyFailsNowAndThen) {
  // Of easy only what failed is left, which pushes it down. bench/methods_prs.py has more settings.
  EXPECT_GT(HardShareAfterTraining(true, 0.95, 6000), 0.9);
  EXPECT_LT(HardShareAfterTraining(false, 0.95, 6000), 0.02);
}

}  // namespace
}  // namespace kgym::learn
