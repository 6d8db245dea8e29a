// fast_p, pass@k, intervals and tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "learn/bootstrap.h"
#include "learn/fast_p.h"
#include "learn/moments.h"
#include "learn/pass_at_k.h"
#include "learn/quantile.h"
#include "learn/random.h"
#include "learn/turn_table.h"

namespace kgym::learn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(FastP, TheConventionsDifferAtTheThreshold) {
  FastP above({1.0}, FastIf::kAbove), at_least({1.0}, FastIf::kAtLeast);
  for (FastP* counter : {&above, &at_least}) {
    counter->Add(true, 1.0).value();
    counter->Add(true, 2.0).value();
    counter->Add(false, 9.0).value();
    counter->Add(false, std::nan("")).value();
  }
  EXPECT_EQ(above.InAll(0), 0.25);
  EXPECT_EQ(at_least.InAll(0), 0.5);
  EXPECT_EQ(above.AmongCorrect(0), 0.5);
  EXPECT_EQ(at_least.AmongCorrect(0), 1);
  EXPECT_THAT(above.Add(true, 0).error().message, HasSubstr("speedup of submission 4 is 0"));
  EXPECT_EQ(FastP({1.0}, FastIf::kAbove).InAll(0), 0);
}

TEST(FastP, PartsMerge) {
  FastP whole({1, 2}, FastIf::kAbove), a({1, 2}, FastIf::kAbove), b({1, 2}, FastIf::kAbove);
  for (int i = 0; i < 10; ++i) {
    whole.Add(i % 3 != 0, 0.3 * (i + 1)).value();
    (i < 4 ? a : b).Add(i % 3 != 0, 0.3 * (i + 1)).value();
  }
  a.Merge(b);
  EXPECT_EQ(a.InAll(1), whole.InAll(1));
  EXPECT_EQ(a.AmongCorrect(0), whole.AmongCorrect(0));
}

TEST(PassAtK, IsUnbiasedWherePublishedIsNot) {
  // A problem solved with probability 0.3: pass@2 is 1 - 0.49.
  Random random(1);
  double unbiased = 0, published = 0;
  constexpr int kRuns = 40'000;
  for (int run = 0; run < kRuns; ++run) {
    std::int64_t solved = 0;
    for (int i = 0; i < 8; ++i) solved += random.Uniform() < 0.3;
    unbiased += (1 - FailAtK(8, solved, 2)) / kRuns;
    published += PublishedPassAtK(8, solved, 2) / kRuns;
  }
  EXPECT_NEAR(unbiased, 0.51, 3 * 0.25 / std::sqrt(kRuns));
  EXPECT_GT(published, 0.7);
}

TEST(PassAtK, MeanOverProblems) {
  PassAtK pass(2);
  pass.Add(4, 4).value();
  pass.Add(4, 0).value();
  EXPECT_EQ(pass.mean(), 0.5);
  EXPECT_THAT(pass.Add(1, 1).error().message, HasSubstr("needs at least 2 replies"));
  EXPECT_FALSE(pass.Add(4, 5).ok());
}

TEST(Moments, MergedPartsAreTheWhole) {
  Moments whole, a, b;
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const double value = 1e6 + random.Normal();
    whole.Add(value);
    (i % 3 == 0 ? a : b).Add(value);
  }
  a.Merge(b);
  EXPECT_EQ(a.count(), 1000);
  EXPECT_NEAR(a.mean(), whole.mean(), 1e-6);
  EXPECT_NEAR(a.variance(), whole.variance(), 1e-9);
  EXPECT_EQ(a.min(), whole.min());
}

TEST(Quantile, InterpolatesAsNumpyDoes) {
  EXPECT_EQ(Quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_EQ(Quantile({4, 1, 3, 2}, 1.0), 4);
  EXPECT_DOUBLE_EQ(Quantile({10, 20}, 0.25), 12.5);
  EXPECT_EQ(Quantile({7}, 0.9), 7);
}

TEST(BootstrapMean, CoversTheTruthAsOftenAsItSays) {
  Random random(3);
  int covered = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    BootstrapMean bootstrap(200, static_cast<std::uint64_t>(run));
    for (int i = 0; i < 60; ++i) bootstrap.Add(random.Normal(), i).value();
    const Estimate estimate = bootstrap.Finish(0.9);
    covered += estimate.low <= 0 && 0 <= estimate.high;
  }
  // 0.9 less a little for the percentile method; 4 standard errors are 0.06.
  EXPECT_GT(covered, 0.82 * kRuns);
  EXPECT_LT(covered, 0.97 * kRuns);
}

TEST(BootstrapMean, RepliesToOneProblemComeAndGoTogether) {
  // 50 problems of 20 equal replies each say no more than 50 replies.
  Random random(4);
  BootstrapMean clustered(400), apart(400);
  for (int problem = 0; problem < 50; ++problem) {
    const double value = random.Normal();
    for (int reply = 0; reply < 20; ++reply) {
      clustered.Add(value, problem).value();
      apart.Add(value, problem * 20 + reply).value();
    }
  }
  const Estimate wide = clustered.Finish(0.95), narrow = apart.Finish(0.95);
  EXPECT_EQ(wide.value, narrow.value);
  EXPECT_GT(wide.high - wide.low, 3 * (narrow.high - narrow.low));
}

TEST(BootstrapMean, OrderAndSplitDoNotMatter) {
  BootstrapMean whole(64, 9), a(64, 9), b(64, 9);
  for (int i = 0; i < 40; ++i) whole.Add(i * i % 7, i).value();
  for (int i = 39; i >= 0; --i) (i % 2 == 0 ? a : b).Add(i * i % 7, i).value();
  a.Merge(b);
  EXPECT_EQ(a.Finish(0.9).low, whole.Finish(0.9).low);
  EXPECT_EQ(a.Finish(0.9).high, whole.Finish(0.9).high);
}

TEST(GeometricMean, IsThatOfTheProduct) {
  GeometricMean mean;
  for (double speedup : {0.5, 2.0, 8.0}) mean.Add(speedup, static_cast<std::int64_t>(speedup * 2)).value();
  EXPECT_NEAR(mean.Finish(0.9).value, 2, 1e-12);
  EXPECT_THAT(mean.Add(0, 1).error().message, HasSubstr("above 0"));
  EXPECT_EQ(GeometricMean().Finish(0.9).count, 0);
}

TurnTable TableOf(std::vector<TurnRow> rows) {
  TurnTable table({1.0, 2.0});
  for (const TurnRow& row : rows) table.Add(row).value();
  return table;
}

const std::vector<TurnRow> kRows = {
    {.trajectory = 1, .turn = 1, .compiled = true, .correct = true, .speedup = 2.0, .coverage = 0.5},
    {.trajectory = 1, .turn = 2, .compiled = true, .correct = false},
    {.trajectory = 2, .turn = 1, .compiled = false},
    {.trajectory = 2, .turn = 2, .compiled = true, .correct = true, .speedup = 1.0, .coverage = 1.0},
    {.trajectory = 3, .turn = 1, .compiled = true, .correct = true, .speedup = 0.5, .coverage = 0.25},
};

TEST(TurnTable, ByTurn) {
  const auto turns = TableOf(kRows).Turns();
  ASSERT_EQ(turns.size(), 2u);
  EXPECT_EQ(turns[0].count, 3);
  EXPECT_DOUBLE_EQ(turns[0].correctness_rate, 2.0 / 3);
  EXPECT_DOUBLE_EQ(turns[0].compilation_rate, 2.0 / 3);
  EXPECT_THAT(turns[0].fast_in_all, ElementsAre(1.0 / 3, 1.0 / 3));
  EXPECT_THAT(turns[0].fast_among_correct, ElementsAre(0.5, 0.5));
  EXPECT_DOUBLE_EQ(turns[0].speedup.mean(), 1.25);
  EXPECT_DOUBLE_EQ(turns[0].coverage_in_all, 0.25);
  EXPECT_EQ(turns[0].coverage.min(), 0.25);
}

TEST(TurnTable, BestSoFarIsKeptThroughABadTurnAndAnEarlyEnd) {
  const auto best = TableOf(kRows).BestByTurn();
  EXPECT_THAT(best[0].fast_in_all, ElementsAre(1.0 / 3, 1.0 / 3));
  EXPECT_THAT(best[1].fast_in_all, ElementsAre(2.0 / 3, 1.0 / 3));
  EXPECT_EQ(best[1].solved, 3);
  EXPECT_DOUBLE_EQ(best[1].speedup.mean(), 3.5 / 3);
}

TEST(TurnTable, WhatRefinementChanged) {
  const Improvement change = TableOf(kRows).Change();
  EXPECT_EQ(change.improved, 1);
  EXPECT_EQ(change.regressed, 1);
  EXPECT_EQ(change.net(), 0);
  EXPECT_DOUBLE_EQ(change.last_turn_correct_rate, 2.0 / 3);
}

TEST(TurnTable, OrderOfRowsDoesNotMatter) {
  std::vector<TurnRow> reversed(kRows.rbegin(), kRows.rend());
  EXPECT_EQ(DumpJson(TableOf(reversed).ToJson()["improvement"]), DumpJson(TableOf(kRows).ToJson()["improvement"]));
  EXPECT_THAT(TableOf(reversed).BestByTurn()[1].fast_in_all, ElementsAre(2.0 / 3, 1.0 / 3));
}

TEST(TurnTable, Quartiles) {
  TurnTable table;
  for (int i = 1; i <= 8; ++i) {
    table.Add({.trajectory = i, .compiled = true, .correct = true, .speedup = static_cast<double>(i)}).value();
  }
  EXPECT_THAT(table.Turns()[0].quartile_speedups, ElementsAre(7.5, 5.5, 3.5, 1.5));
}

TEST(TurnTable, ErrorsNameTrajectoryAndTurn) {
  TurnTable table = TableOf(kRows);
  EXPECT_THAT(table.Add(kRows[0]).error().message, HasSubstr("trajectory 1, turn 1: was added before"));
  EXPECT_THAT(table.Add({.trajectory = 1, .turn = -1}).error().message, HasSubstr("turns count from 1"));
  EXPECT_FALSE(table.Add({.trajectory = 9, .correct = true, .speedup = std::nan("")}).ok());
}

}  // namespace
}  // namespace kgym::learn
