#include "base/check.h"

#include <gtest/gtest.h>

namespace kgym {
namespace {

TEST(Check, HoldsQuietlyAndEvaluatesOnce) {
  int calls = 0;
  KGYM_CHECK(++calls == 1) << "never seen";
  KGYM_CHECK_EQ(++calls, 2) << "never seen";
  EXPECT_EQ(calls, 2);
}

TEST(Check, FailureSaysExpressionMessageAndPlace) {
  EXPECT_DEATH(KGYM_CHECK(1 + 1 == 3) << "lane " << 7, "check_test.cc:[0-9]+: check failed: 1 \\+ 1 == 3 lane 7");
}

TEST(Check, ComparisonPrintsBothValues) {
  const int used = 5;
  const int capacity = 4;
  EXPECT_DEATH(KGYM_CHECK_LE(used, capacity) << "bytes", "used <= capacity  \\(5 against 4\\) bytes");
}

TEST(Check, BindsToItsOwnIf) {
  bool other = false;
  if (false)
    KGYM_CHECK_EQ(1, 2);
  else
    other = true;
  EXPECT_TRUE(other);
}

}  // namespace
}  // namespace kgym
