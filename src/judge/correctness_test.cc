#include "judge/correctness.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kgym::judge {
namespace {

TEST(PlanSets, BeginsFreshEndsWithARepeatAndHasEachKind) {
  const std::vector<Session::Set> sets = PlanSets(5, 4);
  ASSERT_EQ(sets.size(), 6U);
  EXPECT_EQ(sets.front().kind, "fresh");
  EXPECT_EQ(sets.back().kind, "same");
  EXPECT_NE(sets.back().slot, sets.back().from) << "the repeat stands at another address";
  for (const char* kind : {"near", "nudged", "spiked"}) {
    EXPECT_TRUE(std::ranges::any_of(sets, [&](const Session::Set& set) { return set.kind == kind; })) << kind;
  }
}

TEST(PlanSets, NoSetIsDrawnFromASlotThatIsStillEmpty) {
  for (int count = 1; count <= 12; ++count) {
    std::vector<bool> filled(4, false);
    for (const Session::Set& set : PlanSets(count, 4)) {
      EXPECT_TRUE(set.from < 0 || filled[static_cast<std::size_t>(set.from)]) << count;
      filled[static_cast<std::size_t>(set.slot)] = true;
    }
  }
}

TEST(PlanSets, AChangedSetComesRightAfterTheOneThatItWasMadeOf) {
  const std::vector<Session::Set> sets = PlanSets(5, 4);
  for (std::size_t i = 1; i < sets.size(); ++i) {
    const bool changed = sets[i].kind == "near" || sets[i].kind == "nudged";
    EXPECT_TRUE(!changed || sets[i].from == sets[i - 1].slot);
  }
}

TEST(PlanSets, NoSeedIsGivenAway) {
  for (const Session::Set& set : PlanSets(9, 4)) EXPECT_FALSE(set.seed);
}

}  // namespace
}  // namespace kgym::judge
