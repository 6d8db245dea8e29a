#include "judge/statistics.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace kgym::judge {
namespace {

TEST(Statistics, MedianOfEvenAndOddCounts) {
  EXPECT_EQ(Median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(Median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median(std::vector<double>{7}), 7);
}

TEST(Statistics, VariationIsZeroForOneValueAndRelativeForMore) {
  EXPECT_EQ(CoefficientOfVariation(std::vector<double>{5}), 0);
  EXPECT_NEAR(CoefficientOfVariation(std::vector<double>{1, 3}), std::sqrt(2.0) / 2, 1e-12);
}

TEST(Statistics, FewValuesGiveTheirExtremes) {
  const std::vector<double> values = {5, 1, 3, 2, 4};
  const Interval interval = MedianInterval(values, 0.99);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 5);
}

TEST(Statistics, RanksAreThoseOfTheBinomialTable) {
  // For n = 20 and 95 %, the 6th smallest and 6th largest: coverage 0.9586 (any table of the sign test).
  std::vector<double> values(20);
  std::iota(values.begin(), values.end(), 1.0);
  const Interval interval = MedianInterval(values, 0.95);
  EXPECT_EQ(interval.low, 6);
  EXPECT_EQ(interval.high, 15);
}

TEST(Statistics, IntervalsCoverTheTrueMedianAsOftenAsTheySay) {
  std::mt19937 generator(7);
  std::lognormal_distribution<double> skewed(0, 1);  // Its median is 1.
  int covered = 0;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> values(12);
    for (double& v : values) v = skewed(generator);
    const Interval interval = MedianInterval(values, 0.95);
    covered += interval.low <= 1 && 1 <= interval.high;
  }
  EXPECT_GE(covered, kRuns * 94 / 100);
}

TEST(Statistics, WideningAndHalfWidthAreRelative) {
  const Interval wide = Widen({1.0, 2.0}, 0.1);
  EXPECT_DOUBLE_EQ(wide.low, 0.9);
  EXPECT_DOUBLE_EQ(wide.high, 2.2);
  EXPECT_DOUBLE_EQ(RelativeHalfWidth({0.9, 1.1}), 0.1);
}

}  // namespace
}  // namespace kgym::judge
