#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <memory>

namespace kgym {
namespace {

Result<int> Positive(int value) {
  if (value <= 0) return Error{std::to_string(value) + " is not positive"};
  return value;
}

Result<int> Sum(int a, int b) {
  KGYM_TRY(const int left, Positive(a));
  KGYM_TRY(const int right, Positive(b));
  return left + right;
}

Status Both(int a, int b) {
  KGYM_TRY_VOID(Sum(a, b).ok() ? Ok() : Status(Error{"not both"}));
  return Ok();
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = Positive(3);
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 3);
  EXPECT_EQ(Positive(-1).error().message, "-1 is not positive");
  EXPECT_EQ(Positive(-1).value_or(9), 9);
}

TEST(Result, TryPassesErrorsOn) {
  EXPECT_EQ(*Sum(1, 2), 3);
  EXPECT_EQ(Sum(1, -2).error().message, "-2 is not positive");
  EXPECT_TRUE(Both(1, 2).ok());
  EXPECT_EQ(Both(0, 2).error().message, "not both");
}

TEST(Result, TryTakesTypesWithCommasAndMoveOnlyValues) {
  const auto make = []() -> Result<std::unique_ptr<std::map<int, int>>> {
    return std::make_unique<std::map<int, int>>(std::map<int, int>{{1, 2}});
  };
  const auto size = [&]() -> Result<std::size_t> {
    KGYM_TRY(auto map, make());
    KGYM_TRY(const auto pair, Result<std::pair<int, int>>(std::pair<int, int>(1, 2)));
    return map->size() + static_cast<std::size_t>(pair.first);
  };
  EXPECT_EQ(*size(), 2u);
}

struct Base {
  virtual ~Base() = default;
};
struct Derived : Base {};

TEST(Result, ConvertsWhatItsValueConvertsFrom) {
  const auto make = []() -> Result<std::unique_ptr<Base>> { return std::make_unique<Derived>(); };
  EXPECT_TRUE(make());
  const auto text = []() -> Result<std::string> { return "literal"; };
  EXPECT_EQ(*text(), "literal");
}

TEST(Result, ValueOfAnErrorStopsTheProcessWithItsMessage) {
  EXPECT_DEATH(Positive(-5).value(), "-5 is not positive");
  EXPECT_DEATH(Status(Error{"disk full"}).value(), "disk full");
}

TEST(Result, SystemErrorReadsErrno) {
  errno = ENOENT;
  EXPECT_EQ(SystemError("open").message, "open: No such file or directory");
  EXPECT_EQ(Within("reading", Error{"x"}).message, "reading: x");
}

}  // namespace
}  // namespace kgym
