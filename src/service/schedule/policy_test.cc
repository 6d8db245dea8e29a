#include "service/schedule/policy.h"

#include <gtest/gtest.h>

#include <limits>

#include "service/schedule/waiting.h"

namespace kgym::service {
namespace {

const Policy kPolicy{.ageing = 60s, .patience = 10, .unknown_hold = 2s};

std::int64_t Due(int priority, double hold_s, std::int64_t submitted_ms, std::int64_t deadline_ms = 0) {
  return DueOf(
      kPolicy,
      {.id = "t", .priority = priority, .hold_s = hold_s, .submitted_ms = submitted_ms, .deadline_ms = deadline_ms});
}

TEST(Policy, ShorterIsDueSooner) { EXPECT_EQ(Due(1, 3, 1000) - Due(1, 1, 1000), 20'000); }

TEST(Policy, AStepOfPriorityIsWorthItsWaiting) {
  EXPECT_EQ(Due(1, 1, 1000), Due(2, 1, 61'000));
  EXPECT_EQ(Due(0, 1, 1000), Due(2, 1, 121'000));
  EXPECT_EQ(Due(-7, 1, 1000), Due(0, 1, 1000));
  EXPECT_EQ(Due(9, 1, 1000), Due(2, 1, 1000));
}

TEST(Policy, ADeadlineBringsForwardAndNeverDelays) {
  EXPECT_EQ(Due(1, 1, 1000, 5000), 4000);
  EXPECT_EQ(Due(1, 1, 1000, 900'000), Due(1, 1, 1000));
}

TEST(Policy, AGuessThatSaysNothingIsTheUsual) {
  for (const double nothing : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(HoldOf(kPolicy, {.id = "t", .hold_s = nothing}), 2.0);
  }
  EXPECT_GT(HoldOf(kPolicy, {.id = "t", .hold_s = 1e-300}), 1e-4);
  EXPECT_LT(HoldOf(kPolicy, {.id = "t", .hold_s = std::numeric_limits<double>::infinity()}), 1e6);
}

TEST(Policy, PriorityIsAPriceBetweenRuns) {
  EXPECT_EQ(PriceOf(kPolicy, {.id = "t", .priority = 0}), 8.0);
  EXPECT_EQ(PriceOf(kPolicy, {.id = "t", .priority = 1}), 1.0);
  EXPECT_EQ(PriceOf(kPolicy, {.id = "t", .priority = 2}), 0.125);
}

}  // namespace
}  // namespace kgym::service
