#include "learn/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  std::vector<std::uint8_t> rows(3);
  TwoGates(std::vector<double>{-1, -1, -1}, std::vector<double>{-1.001, -1.1, -1}, std::vector<double>{-3, -3, -20},
           0.01, 15, rows)
      .value();
  EXPECT_THAT(rows, ElementsAre(1, 0, 0));
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

TEST(ChooseRows, EfficientOnesKeepBothSides) {
  const std::vector<std::size_t> members = {0, 1, 2, 3, 4, 5};
  const std::vector<double> scores = {1, 2, 1, 1, 0, 0};
  const std::vector<std::int64_t> lengths = {10, 10, 5, 100, 50, 20};
  Random random(1);
  // Positives by score per token: rows 1 and 2 tie at 0.2, then 0; of the negatives the shorter.
  EXPECT_THAT(ChooseRows(members, scores, lengths, 3, ChooseBy::kEfficiency, random), ElementsAre(1, 2, 5));
  const std::vector<double> one_good = {1, 0, 0, 0, 0, 0};
  EXPECT_THAT(ChooseRows(members, one_good, lengths, 2, ChooseBy::kEfficiency, random), ElementsAre(0, 2));
  EXPECT_EQ(ChooseRows(members, scores, lengths, 4, ChooseBy::kEfficiencyStochastic, random).size(), 4u);
  EXPECT_EQ(ChooseRows(members, scores, lengths, 9, ChooseBy::kUniform, random).size(), 6u);
  EXPECT_EQ(ChooseRows(members, std::vector<double>(6, 0), lengths, 4, ChooseBy::kEfficiency, random).size(), 4u);
}

}  // namespace
}  // namespace kgym::learn
