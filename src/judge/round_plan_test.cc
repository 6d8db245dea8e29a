#include "judge/round_plan.h"

#include <gtest/gtest.h>

#include <set>

namespace kgym::judge {
namespace {

TEST(PlanRound, EveryCallHasFreshInputsAndATimedOneASlotOfItsOwn) {
  std::set<int> first;
  for (int again = 0; again < 200; ++again) {
    const RoundPlan plan = PlanRound(6, {.warmup = 2, .calls = 4});
    ASSERT_EQ(plan.slots.size(), 6u);
    EXPECT_EQ(plan.slots[0], 5);
    EXPECT_EQ(plan.slots[1], 5);
    const std::set<int> timed(plan.slots.begin() + 2, plan.slots.end());
    EXPECT_EQ(timed.size(), 4u);
    EXPECT_FALSE(timed.contains(5));
    std::vector<int> filled;
    for (const Session::Set& set : plan.sets) {
      EXPECT_EQ(set.kind, "fresh");
      filled.push_back(set.slot);
    }
    EXPECT_EQ(filled, std::vector<int>(plan.slots.begin() + 1, plan.slots.end()));
    first.insert(plan.slots[2]);
  }
  EXPECT_GT(first.size(), 1u) << "nobody knows where a round starts";
}

TEST(PlanRound, WithoutWarmingUpNothingIsFilledForIt) {
  const RoundPlan plan = PlanRound(3, {.warmup = 0, .calls = 2});
  EXPECT_EQ(plan.slots.size(), 2u);
  EXPECT_EQ(plan.sets.size(), 2u);
}

TEST(ForEachCall, CallsThatWarmUpShareASlot) {
  std::vector<Filled> filled(3);
  for (int i = 0; i < 3; ++i) filled[static_cast<std::size_t>(i)].slot = 7 + i;
  const auto slots = [](const std::vector<Filled>& calls) {
    std::vector<int> found;
    for (const Filled& call : calls) found.push_back(call.slot);
    return found;
  };
  EXPECT_EQ(slots(ForEachCall(filled, {.warmup = 3, .calls = 2})), (std::vector{7, 7, 7, 8, 9}));
  EXPECT_EQ(slots(ForEachCall(filled, {.warmup = 0, .calls = 3})), (std::vector{7, 8, 9}));
}

}  // namespace
}  // namespace kgym::judge
