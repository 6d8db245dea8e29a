#include "learn/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace kgym::learn {
namespace {

using testing::ElementsAre;

const std::vector<std::int64_t> kPrompts = {0, 0, 1, 1, 2, 2, 3};
const std::vector<double> kScores = {0, 0, 1, 1, 0, 1, 0.5};

TEST(FilterGroups, CountsWhatItFindsAndDropsWhatTeachesNothing) {
  std::vector<std::uint8_t> rows(7);
  const FilterReport report = FilterGroups(kScores, {}, GroupBy(kPrompts).value(), {}, rows).value();
  EXPECT_EQ(report.groups, 4);
  EXPECT_EQ(report.uniform, 3);  // A group of one is uniform, too.
  EXPECT_EQ(report.solved_by_none, 1);
  EXPECT_EQ(report.solved_by_all, 1);
  EXPECT_EQ(report.dropped, 3);
  EXPECT_THAT(rows, ElementsAre(0, 0, 0, 0, 1, 1, 0));
}

TEST(FilterGroups, EachRuleByItself) {
  const Grouping groups = GroupBy(kPrompts).value();
  const std::vector<std::int64_t> lengths = {9, 9, 1, 9, 1, 1, 1};
  std::vector<std::uint8_t> rows(7);
  const auto kept = [&](FilterOptions options) {
    options.least_deviation = 0;
    return FilterGroups(kScores, lengths, groups, options, rows)->kept;
  };
  EXPECT_THAT(kept({}), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(kept({.drop_solved_by_none = true}), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(kept({.drop_solved_by_all = true}), ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(kept({.least_size = 2}), ElementsAre(1, 1, 1, 0));
  EXPECT_THAT(kept({.max_length = 9}), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(kept({.max_length = 9, .least_uncut = 2}), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(kept({.least_mean = 0.2, .most_mean = 0.9}), ElementsAre(0, 0, 1, 1));
}

TEST(FilterGroups, ATurnThatTeachesIsKeptThoughTheLastDoesNot) {
  const std::vector<std::int64_t> prompts(4, 0), turns = {1, 2, 1, 2};
  const std::vector<double> scores = {0, 1, 1, 1};
  std::vector<std::uint8_t> rows(4);
  ASSERT_TRUE(FilterGroups(scores, {}, GroupBy(prompts, turns, {}).value(), {}, rows).ok());
  EXPECT_THAT(rows, ElementsAre(1, 0, 1, 0));
}

TEST(TwoGates, BothMustHold) {
  const std::vector<double> train = {-1, -1, -1, -1}, below_top = {-3, -3, -20, NAN};
  const std::vector<double> rollout = {-1.001, -1.1, -1, -1};
  const std::vector<std::uint8_t> kept = {1, 1, 1, 0};
  std::vector<std::uint8_t> rows(4);
  TwoGates(train, rollout, below_top, kept, {}, rows).value();
  EXPECT_THAT(rows, ElementsAre(1, 0, 0, 0));
  TwoGates(train, rollout, below_top, kept, {.closeness = 0.2, .depth = 21}, rows).value();
  EXPECT_THAT(rows, ElementsAre(1, 1, 1, 0));
  EXPECT_FALSE(TwoGates(train, rollout, below_top, {}, {}, rows).ok());
}

TEST(ChooseGroups, CompleteOnesFirst) {
  const Grouping groups = GroupBy(kPrompts).value();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    EXPECT_THAT(ChooseGroups(groups, 2, 3, random), ElementsAre(0, 1, 2));
  }
  std::set<std::size_t> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    seen.insert(ChooseGroups(groups, 2, 1, random)[0]);
  }
  EXPECT_THAT(seen, ElementsAre(0, 1, 2));
}

/// One group of all the rows.
struct OneGroup {
  std::vector<double> scores;
  std::vector<std::int64_t> lengths = {10, 10, 5, 100, 50, 20};
  Grouping groups = GroupBy(std::vector<std::int64_t>(6, 0)).value();
  Random random{1};

  std::vector<std::uint8_t> Choose(std::size_t count, ChooseBy by) {
    std::vector<std::uint8_t> rows(6);
    ChooseRows(scores, lengths, groups, count, by, random, rows).value();
    return rows;
  }
  std::ptrdiff_t Count(std::size_t count, ChooseBy by) { return std::ranges::count(Choose(count, by), 1); }
};

TEST(ChooseRows, EfficientOnesKeepBothSides) {
  OneGroup mixed{{1, 2, 1, 1, 0, 0}}, one_good{{1, 0, 0, 0, 0, 0}}, none_good{{0, 0, 0, 0, 0, 0}};
  // Positives by score per token: rows 1 and 2 tie at 0.2, then 0; of the negatives the shorter.
  EXPECT_THAT(mixed.Choose(3, ChooseBy::kEfficiency), ElementsAre(0, 1, 1, 0, 0, 1));
  EXPECT_THAT(one_good.Choose(2, ChooseBy::kEfficiency), ElementsAre(1, 0, 1, 0, 0, 0));
  EXPECT_EQ(mixed.Count(4, ChooseBy::kEfficiencyStochastic), 4);
  EXPECT_EQ(mixed.Count(9, ChooseBy::kUniform), 6);
  EXPECT_EQ(mixed.Count(2, ChooseBy::kUniform), 2);
  EXPECT_EQ(mixed.Count(0, ChooseBy::kEfficiency), 0);
  EXPECT_EQ(none_good.Count(4, ChooseBy::kEfficiency), 4);
}

TEST(ChooseRows, EachGroupForItself) {
  const std::vector<std::int64_t> lengths = {5, 5, 9, 5, 5, 9, 5};
  std::vector<std::uint8_t> rows(7);
  Random random(1);
  ChooseRows(kScores, lengths, GroupBy(kPrompts).value(), 1, ChooseBy::kEfficiency, random, rows).value();
  EXPECT_THAT(rows, ElementsAre(1, 0, 0, 1, 0, 1, 1));
}

TEST(ChooseRows, NamesTheRowWithoutALength) {
  OneGroup group{{1, 2, 1, 1, 0, 0}};
  group.lengths[3] = 0;
  std::vector<std::uint8_t> rows(6);
  EXPECT_THAT(
      ChooseRows(group.scores, group.lengths, group.groups, 2, ChooseBy::kUniform, group.random, rows).error().message,
      testing::HasSubstr("row 3 is 0"));
}

}  // namespace
}  // namespace kgym::learn
