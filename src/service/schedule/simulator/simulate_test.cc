#include "service/schedule/simulator/simulate.h"

#include <gtest/gtest.h>

#include "service/schedule/simulator/fairness.h"

namespace kgym::service::simulator {
namespace {

TEST(Report, JainsIndex) {
  EXPECT_EQ(Jain({2, 2, 2}), 1);
  EXPECT_EQ(Jain({5, 0, 0, 0}), 0.25);
  EXPECT_EQ(Jain({}), 1);
  EXPECT_EQ(Jain({0, 0}), 1);
}

TEST(Report, Quantiles) {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  const Quantiles q = QuantilesOf(values);
  EXPECT_EQ(q.p50, 51);
  EXPECT_EQ(q.p99, 100);
  EXPECT_EQ(q.max, 100);
  EXPECT_EQ(QuantilesOf({}).max, 0);
}

TEST(Fairness, CountsOnlyThoseWhoWaitedThroughout) {
  Fairness fairness;
  fairness.Running(0, "a", 3);
  fairness.Running(0, "b", 1);
  fairness.Running(0, "c", 100);
  fairness.Sample(0, {"a", "b", "c"});
  fairness.Sample(0, {"a", "b"});
  fairness.EndWindow();
  ASSERT_EQ(fairness.indices().size(), 1u);
  EXPECT_DOUBLE_EQ(fairness.indices()[0], Jain({3, 1}));
}

TEST(Simulate, OneLaneOneTrainerIsArithmetic) {
  Scenario scenario;
  scenario.fleet = {.machines = {{.count = 1, .lanes = 1}}, .cold_s = 0};
  scenario.trainers = {{.tenant = "t", .run = "r", .groups = 5, .rollouts = 2, .turns = 1, .spread_s = 0, .steps = 1}};
  scenario.hold_median_s = 1;
  scenario.hold_sigma = 0;
  scenario.slow_share = 0;
  const auto scheduler = FairScheduler();
  const Report report = Simulate(scenario, *scheduler);
  EXPECT_EQ(report.done, 10);
  EXPECT_DOUBLE_EQ(report.steps.at("t").max, 10);
  EXPECT_DOUBLE_EQ(report.waits.at("all").max, 9);
  EXPECT_DOUBLE_EQ(report.utilisation_loaded, 1);
}

class Standardly : public testing::TestWithParam<std::uint64_t> {
 protected:
  static Report Play(Scheduler& scheduler, std::uint64_t seed) {
    Scenario scenario = Standard(0.02);  // 24 lanes, 20,000 tasks, failing often.
    scenario.fleet.lane_mtbf_s = 500;
    scenario.fleet.machine_mtbf_s = 500;
    scenario.seed = seed;
    return Simulate(scenario, scheduler);
  }
};

TEST_P(Standardly, EveryTaskEndsOnceWhateverFails) {
  for (const auto& scheduler : {FairScheduler(), FifoScheduler()}) {
    const Report report = Play(*scheduler, GetParam());
    EXPECT_GE(report.submitted, 20'000);
    EXPECT_EQ(report.done + report.dead, report.submitted);
    EXPECT_GT(report.redelivered, 20);
    EXPECT_LE(report.dead, report.submitted / 500);
    EXPECT_EQ(report.starts, report.done + report.redelivered + report.dead);
  }
}

TEST_P(Standardly, NoLaneIdlesWhileItsWorkWaits) {
  const Report report = Play(*FairScheduler(), GetParam());
  EXPECT_GT(report.utilisation_loaded, 0.9999);
}

TEST_P(Standardly, BetterThanFifo) {
  const Report fair = Play(*FairScheduler(), GetParam()), fifo = Play(*FifoScheduler(), GetParam());
  EXPECT_GT(fair.jain_mean, 0.9);
  EXPECT_GT(fair.jain_mean, fifo.jain_mean);
  EXPECT_LT(fair.waits.at("high").p99, fifo.waits.at("high").p99);
  EXPECT_GT(fair.warm_starts * fifo.starts, fifo.warm_starts * fair.starts);
}

TEST_P(Standardly, TheSameAgain) {
  Json one = ToJson(Play(*FairScheduler(), GetParam())), two = ToJson(Play(*FairScheduler(), GetParam()));
  for (Json* report : {&one, &two}) report->erase("wall_s"), report->erase("decide_wall_us");
  EXPECT_EQ(one, two);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Standardly, testing::Values(1, 2, 3));

}  // namespace
}  // namespace kgym::service::simulator
