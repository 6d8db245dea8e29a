#include "service/schedule/backlog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/schedule/waiting.h"

namespace kgym::service {
namespace {

using testing::ElementsAre;

std::vector<std::string> Drain(Backlog& backlog, PoolId pool) {
  std::vector<std::string> order;
  while (const Waiting* next = backlog.Next(pool)) {
    order.push_back(next->id);
    backlog.Take(pool, order.back());
  }
  return order;
}

TEST(Backlog, ShortestFirstWhereSubmittedTogether) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({});
  backlog.Add({.id = "long", .hold_s = 9, .sequence = 1});
  backlog.Add({.id = "short", .hold_s = 1, .sequence = 2});
  backlog.Add({.id = "middle", .hold_s = 4, .sequence = 3});
  EXPECT_THAT(Drain(backlog, pool), ElementsAre("short", "middle", "long"));
  EXPECT_EQ(backlog.size(), 0u);
}

TEST(Backlog, EqualTasksGoInOrderOfAcceptance) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({});
  for (std::uint64_t i : {3, 1, 2}) backlog.Add({.id = std::to_string(i), .sequence = i});
  EXPECT_THAT(Drain(backlog, pool), ElementsAre("1", "2", "3"));
}

TEST(Backlog, PriorityWithinARunAndAgeing) {
  Backlog backlog({.ageing = 60s});
  const PoolId pool = backlog.PoolFor({});
  backlog.Add({.id = "low, old", .priority = 0, .submitted_ms = 0, .sequence = 1});
  backlog.Add({.id = "normal", .priority = 1, .submitted_ms = 59'000, .sequence = 2});
  backlog.Add({.id = "normal, late", .priority = 1, .submitted_ms = 61'000, .sequence = 3});
  backlog.Add({.id = "high", .priority = 2, .submitted_ms = 100'000, .sequence = 4});
  EXPECT_THAT(Drain(backlog, pool), ElementsAre("high", "normal", "low, old", "normal, late"));
}

TEST(Backlog, IdsAreTakenOnce) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({});
  EXPECT_TRUE(backlog.Add({.id = "a", .sequence = 1}));
  EXPECT_FALSE(backlog.Add({.id = "a", .sequence = 2}));
  EXPECT_TRUE(backlog.Contains("a"));
  EXPECT_TRUE(backlog.Remove("a"));
  EXPECT_FALSE(backlog.Remove("a"));
  EXPECT_EQ(backlog.Next(pool), nullptr);
}

TEST(Backlog, PoolsServeWhatTheirLabelsAllow) {
  Backlog backlog;
  const PoolId cpu = backlog.PoolFor({{"device", "cpu"}});
  backlog.Add({.id = "any", .hold_s = 9, .sequence = 1});
  backlog.Add({.id = "h100", .labels = {{"card", "H100"}}, .hold_s = 1, .sequence = 2});
  backlog.Add({.id = "b200", .labels = {{"card", "B200"}}, .hold_s = 2, .sequence = 3});
  const PoolId h100 = backlog.PoolFor({{"card", "H100"}, {"device", "cuda"}});  // Joins when tasks wait already.
  EXPECT_EQ(backlog.Breadth(cpu), 1u);
  EXPECT_EQ(backlog.Breadth(h100), 2u);
  EXPECT_EQ(backlog.PoolFor({{"device", "cpu"}}), cpu);
  EXPECT_TRUE(backlog.Servable({{"card", "H100"}}));
  EXPECT_FALSE(backlog.Servable({{"card", "B200"}}));
  EXPECT_EQ(backlog.Next(cpu)->id, "any");
  EXPECT_THAT(Drain(backlog, h100), ElementsAre("h100", "any"));
  EXPECT_EQ(backlog.Next(cpu), nullptr);
  EXPECT_TRUE(backlog.Contains("b200"));
}

TEST(Backlog, DemandsThatNobodyHasAnyMoreLeaveNothingBehind) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({{"card", "H100"}});
  for (int i = 0; i < 100; ++i) {
    backlog.Add({.id = "t", .labels = {{"card", i % 2 == 0 ? "H100" : "card" + std::to_string(i)}}, .sequence = 1});
    EXPECT_EQ(backlog.Next(pool) != nullptr, i % 2 == 0) << i;
    EXPECT_EQ(backlog.Breadth(pool), i % 2 == 0 ? 1u : 0u);
    backlog.Remove("t");
  }
}

TEST(Backlog, WarmTasksPassOnlyWithinTheSlack) {
  Backlog backlog({.affinity_slack = 5s});
  const PoolId pool = backlog.PoolFor({});
  backlog.Add({.id = "first", .affinity = "p1", .submitted_ms = 0, .sequence = 1});
  backlog.Add({.id = "soon", .affinity = "p2", .submitted_ms = 5000, .sequence = 2});
  backlog.Add({.id = "sooner", .affinity = "p2", .submitted_ms = 4000, .sequence = 3});
  backlog.Add({.id = "late", .affinity = "p3", .submitted_ms = 5001, .sequence = 4});
  const std::vector<std::uint64_t> p2 = {AffinityKey("p2")}, p3 = {AffinityKey("p3")};
  EXPECT_EQ(backlog.NextWarm(pool, p2)->id, "sooner");
  EXPECT_EQ(backlog.NextWarm(pool, p3), nullptr);
  EXPECT_EQ(backlog.NextWarm(pool, {}), nullptr);
  backlog.Remove("sooner");
  EXPECT_EQ(backlog.NextWarm(pool, p2)->id, "soon");
}

TEST(Backlog, PassedDeadlinesAreTakenOut) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({});
  backlog.Add({.id = "never", .sequence = 1});
  backlog.Add({.id = "b", .deadline_ms = 200, .sequence = 2});
  backlog.Add({.id = "a", .deadline_ms = 100, .sequence = 3});
  backlog.Add({.id = "c", .deadline_ms = 201, .sequence = 4});
  EXPECT_THAT(backlog.TakeExpired(200), ElementsAre("a", "b"));
  EXPECT_THAT(backlog.TakeExpired(200), ElementsAre());
  EXPECT_THAT(Drain(backlog, pool), ElementsAre("c", "never"));
}

TEST(Backlog, TenantsThenRunsTakeTurns) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({});
  std::uint64_t sequence = 0;
  const auto add = [&](std::string tenant, std::string run, std::string id) {
    backlog.Add(
        {.id = std::move(id), .tenant = std::move(tenant), .run = std::move(run), .hold_s = 1, .sequence = ++sequence});
  };
  for (int i = 0; i < 4; ++i) add("a", "a1", "a1." + std::to_string(i));
  for (int i = 0; i < 2; ++i) add("a", "a2", "a2." + std::to_string(i));
  for (int i = 0; i < 3; ++i) add("b", "b1", "b1." + std::to_string(i));
  EXPECT_THAT(Drain(backlog, pool),
              ElementsAre("a1.0", "b1.0", "a2.0", "b1.1", "a1.1", "b1.2", "a2.1", "a1.2", "a1.3"));
}

TEST(Backlog, TenantsWithAWeightGetTheirShare) {
  Backlog backlog({.tenant_weights = {{"paid", 3}}});
  const PoolId pool = backlog.PoolFor({});
  for (std::uint64_t i = 0; i < 100; ++i) {
    backlog.Add({.id = "p" + std::to_string(i), .tenant = "paid", .hold_s = 1, .sequence = 2 * i});
    backlog.Add({.id = "f" + std::to_string(i), .tenant = "free", .hold_s = 1, .sequence = 2 * i + 1});
  }
  const std::vector<std::string> order = Drain(backlog, pool);
  const auto paid = std::count_if(order.begin(), order.begin() + 40, [](const auto& id) { return id[0] == 'p'; });
  EXPECT_EQ(paid, 30);
}

TEST(Backlog, HighPriorityIsCheapBetweenRunsAndNotBetweenTenants) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({});
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    backlog.Add({.id = "n" + n, .tenant = "a", .run = "training", .hold_s = 1, .sequence = 3 * i});
    backlog.Add({.id = "h" + n, .tenant = "a", .run = "urgent", .priority = 2, .hold_s = 1, .sequence = 3 * i + 1});
    backlog.Add({.id = "o" + n, .tenant = "other", .hold_s = 1, .sequence = 3 * i + 2});
  }
  const std::vector<std::string> order = Drain(backlog, pool);
  std::map<char, int> among;
  for (std::size_t i = 0; i < 90; ++i) ++among[order[i][0]];
  EXPECT_EQ(among['o'], 45);
  EXPECT_EQ(among['h'], 40);
  EXPECT_EQ(among['n'], 5);
}

TEST(Backlog, AWrongGuessIsSettledAfterwards) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({});
  for (std::uint64_t i = 0; i < 20; ++i) {
    backlog.Add({.id = "a" + std::to_string(i), .tenant = "a", .hold_s = 1, .sequence = 2 * i});
    backlog.Add({.id = "b" + std::to_string(i), .tenant = "b", .hold_s = 1, .sequence = 2 * i + 1});
  }
  const Charge charge = backlog.Take(pool, "a0");
  backlog.Settle(charge, 4.0);  // It said 1 s and held for 4.
  for (int i = 0; i < 4; ++i) {
    const std::string id = backlog.Next(pool)->id;
    EXPECT_EQ(id[0], 'b');
    backlog.Take(pool, id);
  }
  EXPECT_EQ(backlog.Next(pool)->tenant, "a");
}

}  // namespace
}  // namespace kgym::service
