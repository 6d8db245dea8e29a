#include "judge/outcome.h"

#include <gtest/gtest.h>

#include <set>

namespace kgym::judge {
namespace {

TEST(Outcome, NamesAreDistinctAndReadBack) {
  std::set<std::string_view> names;
  for (const Outcome outcome : AllOutcomes()) {
    EXPECT_TRUE(names.insert(ToString(outcome)).second) << ToString(outcome);
    EXPECT_EQ(OutcomeFromString(ToString(outcome)), outcome);
  }
  EXPECT_FALSE(OutcomeFromString("fail"));
}

TEST(Outcome, AllButOkSayWhatToDoNext) {
  for (const Outcome outcome : AllOutcomes())
    EXPECT_EQ(NextStep(outcome).empty(), outcome == Outcome::kOk) << ToString(outcome);
}

}  // namespace
}  // namespace kgym::judge
