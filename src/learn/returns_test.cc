#include "learn/returns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace kgym::learn {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::int64_t> kOne = {4, 4, 4};
const std::vector<std::int64_t> kTurns = {1, 2, 3};

std::vector<double> ReturnsOf(const std::vector<double>& rewards, const std::vector<std::int64_t>& turns,
                              const std::vector<std::uint8_t>& kept, ReturnOptions options) {
  std::vector<double> out(rewards.size());
  Returns(rewards, {kOne, turns, kept}, options, out).value();
  return out;
}

TEST(Returns, ATurnThatIsNotKeptStillTakesTime) {
  EXPECT_THAT(ReturnsOf({1, 8, 4}, kTurns, {1, 0, 1}, {.gamma = 0.5}), ElementsAre(1 + 0.25 * 4, 0, 4));
}

TEST(Returns, OrderOfRowsDoesNotMatter) {
  EXPECT_THAT(ReturnsOf({4, 1, 2}, {3, 1, 2}, {}, {.gamma = 0.5}), ElementsAre(4, 1 + 0.5 * (2 + 0.5 * 4), 4));
}

TEST(Returns, MaxAndLast) {
  EXPECT_THAT(ReturnsOf({-1, 4, 1}, kTurns, {}, {.gamma = 0.5, .of = ReturnOf::kMax}), ElementsAre(2, 4, 1));
  EXPECT_THAT(ReturnsOf({9, 4, 1}, kTurns, {}, {.gamma = 0.5, .of = ReturnOf::kLast}), ElementsAre(0.25, 0.5, 1));
  // A masked turn is no candidate, not one of reward 0.
  EXPECT_THAT(ReturnsOf({-4, 0, -2}, kTurns, {1, 0, 1}, {.gamma = 1, .of = ReturnOf::kMax}), ElementsAre(-2, 0, -2));
}

TEST(Returns, ErrorsNameTheRow) {
  std::vector<double> out(3);
  const auto fault = [&](const std::vector<double>& rewards, const std::vector<std::int64_t>& turns, double gamma) {
    return Returns(rewards, {kOne, turns, {}}, {.gamma = gamma}, out).error().message;
  };
  EXPECT_THAT(fault({1, 2, 3}, {1, 2, 2}, 1), HasSubstr("row 2 repeats turn 2 of trajectory 4, which row 1 has"));
  EXPECT_THAT(fault({1, 2, std::numeric_limits<double>::infinity()}, kTurns, 1), HasSubstr("rewards of row 2 is inf"));
  EXPECT_THAT(fault({1, 2, 3}, {1, 2}, 1), HasSubstr("turns has 2 values for 3 rows: row 2 has none"));
  EXPECT_THAT(fault({1, 2, 3}, kTurns, 1.5), HasSubstr("gamma is 1.5"));
}

TEST(Returns, WhatIsNotKeptIsNotLookedAt) {
  EXPECT_THAT(ReturnsOf({1, std::nan(""), 3}, {1, 1, 2}, {1, 0, 1}, {}), ElementsAre(4, 0, 3));
}

TEST(VoidTurns, DropsWhatEarnsNothingAfterSomethingDid) {
  std::vector<std::uint8_t> kept(6, 9);
  const std::vector<std::int64_t> trajectories = {0, 0, 0, 1, 1, 1}, turns = {1, 2, 3, 1, 2, 3};
  VoidTurns(std::vector<double>{1, 0, 2, 0, 0, 1}, {trajectories, turns, {}}, kept).value();
  EXPECT_THAT(kept, ElementsAre(1, 0, 1, 1, 1, 1));
}

TEST(ShapeRewards, DifferencesSumToTheLastReward) {
  const std::vector<double> rewards = {1, 3, 2};
  std::vector<double> out(3);
  ShapeRewards(rewards, {kOne, kTurns, {}}, Shaping::kDifference, 1, out).value();
  EXPECT_THAT(out, ElementsAre(1, 2, -1));
  ShapeRewards(rewards, {kOne, kTurns, {}}, Shaping::kFinalOnly, 1, out).value();
  EXPECT_THAT(out, ElementsAre(0, 0, 2));
  ShapeRewards(rewards, {kOne, kTurns, {}}, Shaping::kDifferenceOfLastScaled, 0.4, out).value();
  EXPECT_THAT(out, ElementsAre(1, 2, DoubleNear(1.2 - 3, 1e-12)));
}

}  // namespace
}  // namespace kgym::learn
