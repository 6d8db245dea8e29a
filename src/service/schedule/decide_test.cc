#include "service/schedule/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <span>

#include "service/schedule/waiting.h"

namespace kgym::service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::span<const LaneView> One(const LaneView& lane) { return {&lane, 1}; }

std::vector<std::string> Ids(const Decisions& decisions) {
  std::vector<std::string> ids;
  for (const Decision& decision : decisions.assigned) ids.push_back(decision.task);
  return ids;
}

TEST(Decide, NothingFreeOrNothingWaitingDecidesNothing) {
  Backlog backlog;
  const LaneView lane{.pool = backlog.PoolFor({})};
  EXPECT_THAT(Decide(backlog, One(lane), 0).assigned, IsEmpty());
  backlog.Add({.id = "t"});
  EXPECT_THAT(Decide(backlog, {}, 0).assigned, IsEmpty());
  const LaneView busy{.pool = lane.pool, .slots = 4, .free = 0};
  EXPECT_THAT(Decide(backlog, One(busy), 0).assigned, IsEmpty());
  EXPECT_THAT(Ids(Decide(backlog, One(lane), 0)), ElementsAre("t"));
}

TEST(Decide, ALaneTakesWhatItHasSlotsFor) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({});
  for (std::uint64_t i = 0; i < 5; ++i) backlog.Add({.id = std::to_string(i), .sequence = i});
  const std::vector<LaneView> lanes = {{.pool = pool, .slots = 4, .free = 1}, {.pool = pool, .slots = 4, .free = 3}};
  const Decisions decisions = Decide(backlog, lanes, 0);
  std::vector<std::size_t> taken(2);
  for (const Decision& decision : decisions.assigned) ++taken[decision.lane];
  EXPECT_THAT(taken, ElementsAre(1u, 3u));
  EXPECT_EQ(decisions.assigned.front().lane, 1u);  // The emptier one first.
  EXPECT_EQ(backlog.size(), 1u);
}

TEST(Decide, WhatRunsAnywhereLeavesTheCardToWhatNeedsIt) {
  Backlog backlog;
  const std::vector<LaneView> lanes = {{.pool = backlog.PoolFor({{"card", "H100"}})}, {.pool = backlog.PoolFor({})}};
  backlog.Add({.id = "any", .hold_s = 1, .sequence = 1});
  backlog.Add({.id = "card", .labels = {{"card", "H100"}}, .hold_s = 5, .sequence = 2});
  const Decisions decisions = Decide(backlog, lanes, 0);
  ASSERT_EQ(decisions.assigned.size(), 2u);
  for (const Decision& decision : decisions.assigned) EXPECT_EQ(decision.lane, decision.task == "card" ? 0u : 1u);
}

TEST(Decide, TasksGoToTheLaneThatIsWarmForThem) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({});
  backlog.Add({.id = "t", .affinity = "softmax"});
  const std::vector<LaneView> lanes = {
      {.pool = pool}, {.pool = pool, .warm = {AffinityKey("softmax")}}, {.pool = pool}};
  const Decisions decisions = Decide(backlog, lanes, 0);
  ASSERT_EQ(decisions.assigned.size(), 1u);
  EXPECT_EQ(decisions.assigned[0].lane, 1u);
  EXPECT_TRUE(decisions.assigned[0].warm);
}

TEST(Decide, AnEmptyLaneBeatsAWarmOneThatIsNearlyFull) {
  Backlog backlog({.affinity_load = 0.5});
  const PoolId pool = backlog.PoolFor({});
  backlog.Add({.id = "t", .affinity = "softmax"});
  const std::vector<LaneView> lanes = {{.pool = pool, .slots = 12, .free = 1, .warm = {AffinityKey("softmax")}},
                                       {.pool = pool, .slots = 12, .free = 12}};
  EXPECT_EQ(Decide(backlog, lanes, 0).assigned.at(0).lane, 1u);
}

TEST(Decide, AFreeLaneTakesWhatItIsWarmForOutOfABurst) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({});
  for (std::uint64_t i = 0; i < 40; ++i) {
    backlog.Add({.id = std::to_string(i), .affinity = "p" + std::to_string(i % 10), .sequence = i});
  }
  const LaneView lane{.pool = pool, .warm = {AffinityKey("p7")}};
  std::vector<std::string> order;
  for (int i = 0; i < 5; ++i) order.push_back(Decide(backlog, One(lane), 0).assigned.at(0).task);
  EXPECT_THAT(order, ElementsAre("7", "17", "27", "37", "0"));
}

TEST(Decide, ExpiredTasksAreToldAndNotAssigned) {
  Backlog backlog;
  const LaneView lane{.pool = backlog.PoolFor({}), .slots = 9, .free = 9};
  backlog.Add({.id = "late", .deadline_ms = 1000, .sequence = 1});
  backlog.Add({.id = "fine", .deadline_ms = 9000, .sequence = 2});
  const Decisions decisions = Decide(backlog, One(lane), 1000);
  EXPECT_THAT(decisions.expired, ElementsAre("late"));
  EXPECT_THAT(Ids(decisions), ElementsAre("fine"));
}

/// A random service: tasks of several tenants, runs, priorities, labels and problems; lanes of several kinds.
class Randomly : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr const char* kCards[] = {"", "H100", "A100"};

  Waiting Task(std::uint64_t sequence) {
    Waiting task{.id = "t" + std::to_string(sequence), .sequence = sequence};
    task.tenant = "tenant" + std::to_string(random_() % 3);
    task.run = "run" + std::to_string(random_() % 4);
    task.priority = static_cast<int>(random_() % 3);
    const std::size_t card = random_() % 3;
    if (card != 0) task.labels["card"] = kCards[card];
    if (random_() % 4 != 0) task.affinity = "p" + std::to_string(random_() % 20);
    task.hold_s = static_cast<double>(random_() % 50) / 10;
    task.submitted_ms = static_cast<std::int64_t>(sequence * 10);
    if (random_() % 10 == 0) task.deadline_ms = task.submitted_ms + static_cast<std::int64_t>(random_() % 100'000);
    return task;
  }

  std::vector<LaneView> Lanes(Backlog& backlog, std::size_t count) {
    std::vector<LaneView> lanes(count);
    labels_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      labels_[i].clear();
      const std::size_t card = random_() % 3;
      if (card != 0) labels_[i]["card"] = kCards[card];
      lanes[i] = {.pool = backlog.PoolFor(labels_[i]), .slots = 3, .free = static_cast<int>(random_() % 4)};
      for (int n = 0; n < 3; ++n) lanes[i].warm.push_back(AffinityKey("p" + std::to_string(random_() % 20)));
      std::ranges::sort(lanes[i].warm);
    }
    return lanes;
  }

  std::mt19937_64 random_{GetParam()};
  std::vector<Labels> labels_;  // By lane.
};

TEST_P(Randomly, LabelsHoldSlotsHoldAndNoLaneIsFreeWhileItsWorkWaits) {
  Backlog backlog;
  std::map<std::string, Waiting> waiting;
  std::uint64_t sequence = 0;
  for (int step = 0; step < 50; ++step) {
    for (std::uint64_t n = random_() % 40; n > 0; --n) {
      const Waiting task = Task(++sequence);
      waiting[task.id] = task;
      ASSERT_TRUE(backlog.Add(task));
    }
    std::vector<LaneView> lanes = Lanes(backlog, 12);
    const auto now = static_cast<std::int64_t>(sequence * 10);
    const Decisions decisions = Decide(backlog, lanes, now);
    for (const std::string& id : decisions.expired) {
      EXPECT_LE(waiting.at(id).deadline_ms, now);
      EXPECT_EQ(waiting.erase(id), 1u);
    }
    for (const Decision& decision : decisions.assigned) {
      const Waiting& task = waiting.at(decision.task);
      EXPECT_TRUE(Satisfies(labels_[decision.lane], task.labels));
      EXPECT_GE(--lanes[decision.lane].free, 0);
      const bool warm =
          !task.affinity.empty() && std::ranges::binary_search(lanes[decision.lane].warm, AffinityKey(task.affinity));
      EXPECT_EQ(decision.warm, warm);
      EXPECT_EQ(waiting.erase(decision.task), 1u);
    }
    ASSERT_EQ(backlog.size(), waiting.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (lanes[i].free == 0) continue;
      for (const auto& [id, task] : waiting) EXPECT_FALSE(Satisfies(labels_[i], task.labels)) << id << " lane " << i;
    }
  }
}

TEST_P(Randomly, TheSameInAnyOrderOfArrivalGivesTheSame) {
  std::vector<Waiting> tasks;
  for (std::uint64_t i = 1; i <= 200; ++i) tasks.push_back(Task(i));
  Backlog first, second;
  for (const Waiting& task : tasks) first.Add(task);
  const std::vector<LaneView> lanes = Lanes(first, 10);
  for (const Labels& labels : labels_) second.PoolFor(labels);  // Here the lanes were there before the tasks.
  std::ranges::shuffle(tasks, random_);
  for (const Waiting& task : tasks) second.Add(task);
  for (int step = 0; step < 20; ++step) {
    const Decisions one = Decide(first, lanes, step), two = Decide(second, lanes, step);
    ASSERT_EQ(Ids(one), Ids(two));
    for (std::size_t i = 0; i < one.assigned.size(); ++i) ASSERT_EQ(one.assigned[i].lane, two.assigned[i].lane);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Randomly, testing::Range(1u, 9u));

/// However much arrives that would go first, what waits is served. One lane; each step, one task ends and `flood`
/// arrives. Returns how many steps the victim waits.
int StepsUntilServed(Backlog& backlog, const Waiting& victim, int limit, const std::function<Waiting(int)>& flood) {
  const LaneView lane{.pool = backlog.PoolFor({})};
  backlog.Add(victim);
  for (int step = 1; step <= limit; ++step) {
    for (int i = 0; i < 2; ++i) {
      Waiting task = flood(step);
      task.sequence = static_cast<std::uint64_t>(2 * step + i);
      task.id = std::to_string(task.sequence);
      backlog.Add(task);
    }
    if (Decide(backlog, One(lane), step * 1000).assigned.at(0).task == victim.id) return step;
  }
  return limit + 1;
}

TEST(NothingStarves, LowPriorityUnderAFloodOfHighOnes) {
  Backlog backlog({.ageing = 60s});
  const Waiting victim{.id = "victim", .priority = 0, .hold_s = 1};
  const auto flood = [](int step) { return Waiting{.priority = 2, .hold_s = 1, .submitted_ms = step * 1000}; };
  // 120 s of head start, in which 2 x 120 tasks arrived; one is served a step.
  EXPECT_LE(StepsUntilServed(backlog, victim, 1000, flood), 242);
}

TEST(NothingStarves, LowPriorityInARunOfItsOwn) {
  Backlog backlog;
  const Waiting victim{.id = "victim", .run = "sweep", .priority = 0, .hold_s = 1};
  const auto flood = [](int step) {
    return Waiting{.run = "urgent", .priority = 2, .hold_s = 1, .submitted_ms = step * 1000};
  };
  EXPECT_LE(StepsUntilServed(backlog, victim, 100, flood), 2);
}

TEST(NothingStarves, LongTaskUnderAFloodOfShortOnes) {
  Backlog backlog({.patience = 10});
  const Waiting victim{.id = "victim", .hold_s = 11};
  const auto flood = [](int step) { return Waiting{.hold_s = 1, .submitted_ms = step * 1000}; };
  EXPECT_LE(StepsUntilServed(backlog, victim, 1000, flood), 202);  // 10 x (11 - 1) s of head start.
}

TEST(NothingStarves, ColdProblemUnderAFloodOfWarmOnes) {
  Backlog backlog({.affinity_slack = 5s});
  const LaneView lane{.pool = backlog.PoolFor({}), .warm = {AffinityKey("warm")}};
  backlog.Add({.id = "victim", .affinity = "cold", .hold_s = 1});
  int served_before = 0;
  for (std::uint64_t step = 1;; ++step) {
    for (std::uint64_t i = 0; i < 2; ++i) {
      const std::uint64_t sequence = 2 * step + i;
      backlog.Add({.id = std::to_string(sequence),
                   .affinity = "warm",
                   .hold_s = 1,
                   .submitted_ms = static_cast<std::int64_t>(step * 1000),
                   .sequence = sequence});
    }
    if (Decide(backlog, One(lane), 0).assigned.at(0).task == "victim") break;
    ASSERT_LE(++served_before, 10);  // Those of the 5 s after it.
  }
  EXPECT_EQ(served_before, 10);
}

TEST(NothingStarves, ATenantUnderAnothersFloodOfDeadlines) {
  Backlog backlog;
  const Waiting victim{.id = "victim", .tenant = "b", .hold_s = 1};
  const auto flood = [](int step) {
    return Waiting{
        .tenant = "a", .priority = 2, .hold_s = 1, .submitted_ms = step * 1000, .deadline_ms = step * 1000 + 500'000};
  };
  EXPECT_LE(StepsUntilServed(backlog, victim, 100, flood), 2);
}

TEST(NothingStarves, ManyTenantsGetEqualTimeWhateverTheyAskFor) {
  std::mt19937_64 random(3);
  Backlog backlog;
  const LaneView lane{.pool = backlog.PoolFor({})};
  std::map<std::string, double> held;
  std::uint64_t sequence = 0;
  const auto refill = [&](int tenant) {
    backlog.Add({.id = std::to_string(++sequence),
                 .tenant = "t" + std::to_string(tenant),
                 .run = std::to_string(random() % 5),
                 .priority = static_cast<int>(random() % 3),
                 .hold_s = 0.2 * (1 + tenant),
                 .sequence = sequence});
  };
  for (int tenant = 0; tenant < 5; ++tenant) {
    for (int i = 0; i < 50; ++i) refill(tenant);
  }
  for (int step = 0; step < 5000; ++step) {
    const Decision decision = Decide(backlog, One(lane), 0).assigned.at(0);
    held[decision.charge.tenant] += decision.charge.seconds;
    refill(decision.charge.tenant[1] - '0');
  }
  for (const auto& [one, a] : held) {
    for (const auto& [two, b] : held) EXPECT_LE(std::abs(a - b), 2.0) << one << " " << two;  // Two of the longest.
  }
}

}  // namespace
}  // namespace kgym::service
