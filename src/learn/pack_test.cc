#include "learn/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "learn/random.h"

namespace kgym::learn {
namespace {

using testing::HasSubstr;

std::vector<std::int64_t> SizesOf(const std::vector<Pack>& packs, const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> sizes;
  for (const Pack& pack : packs) {
    sizes.push_back(0);
    for (std::size_t row : pack) sizes.back() += lengths[row];
  }
  return sizes;
}

void ExpectEachRowOnce(const std::vector<Pack>& packs, std::size_t rows) {
  Pack all;
  for (const Pack& pack : packs) all.insert(all.end(), pack.begin(), pack.end());
  std::ranges::sort(all);
  Pack expected(rows);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  EXPECT_EQ(all, expected);
}

TEST(PackByBudget, KeepsToTheBudgetWithFewPacksOfLikeSize) {
  Random random(2);
  for (int run = 0; run < 200; ++run) {
    std::vector<std::int64_t> lengths(1 + random.Below(60));
    for (std::int64_t& length : lengths) length = static_cast<std::int64_t>(random.Below(101));
    const std::vector<Pack> packs = PackByBudget(lengths, 100).value();
    ExpectEachRowOnce(packs, lengths.size());
    const auto sizes = SizesOf(packs, lengths);
    EXPECT_LE(std::ranges::max(sizes), 100);
    // First fit decreasing needs at most 11/9 of the best, plus one.
    const double least = std::accumulate(lengths.begin(), lengths.end(), 0.0) / 100;
    EXPECT_LE(static_cast<double>(packs.size()), std::max(1.0, std::ceil(least)) * 1.6 + 1);
  }
}

TEST(PackByBudget, BalancesWhereItCan) {
  const std::vector<std::int64_t> lengths = {60, 30, 30, 10, 10, 10};
  const auto sizes = SizesOf(PackByBudget(lengths, 100).value(), lengths);
  EXPECT_THAT(sizes, testing::UnorderedElementsAre(80, 70));
}

TEST(PackByBudget, ARowThatFitsNowhereIsAnError) {
  const std::vector<std::int64_t> lengths = {5, 101};
  EXPECT_THAT(PackByBudget(lengths, 100).error().message, HasSubstr("row 1 has 101 tokens"));
  EXPECT_TRUE(PackByBudget({}, 100)->empty());
  EXPECT_THAT(PackByBudget(std::vector<std::int64_t>{-1}, 100).error().message, HasSubstr("row 0 is -1"));
}

TEST(PackEvenly, FindsThePerfectSplitThatGreedyMisses) {
  // Lightest-first gives 5 + 3 + 3 = 11 against 10... differencing finds 10 and 10 of {5, 5, 4, 3, 3}.
  const std::vector<std::int64_t> lengths = {8, 7, 6, 5, 4};
  EXPECT_THAT(SizesOf(PackEvenly(lengths, 2).value(), lengths), testing::UnorderedElementsAre(16, 14));
}

TEST(PackEvenly, HandlesFewRowsAndMany) {
  ExpectEachRowOnce(PackEvenly(std::vector<std::int64_t>{3}, 4).value(), 1);
  std::vector<std::int64_t> many(100'000);
  Random random(3);
  for (std::int64_t& length : many) length = static_cast<std::int64_t>(random.Below(8192));
  const auto packs = PackEvenly(many, 64).value();
  ExpectEachRowOnce(packs, many.size());
  const auto [low, high] = std::ranges::minmax(SizesOf(packs, many));
  EXPECT_LT(high - low, 100);
}

}  // namespace
}  // namespace kgym::learn
