#include "base/ids.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace kgym {
namespace {

TEST(Ids, HexOfBytes) {
  const std::array<std::byte, 3> bytes = {std::byte{0x00}, std::byte{0xa5}, std::byte{0xff}};
  EXPECT_EQ(Hex(bytes), "00a5ff");
}

TEST(Ids, RandomOnesDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(RandomHex(16));
  EXPECT_EQ(seen.size(), 1000u);
  EXPECT_EQ(seen.begin()->size(), 32u);
  EXPECT_NE(RandomU64(), RandomU64());
}

TEST(Ids, EvaluationIdsSortByTime) {
  const std::chrono::system_clock::time_point start(std::chrono::milliseconds(1'700'000'000'000));
  std::string last = NewEvaluationId(start);
  EXPECT_EQ(last.size(), 26u);
  EXPECT_EQ(last.find_first_not_of("0123456789abcdefghjkmnpqrstvwxyz"), std::string::npos);
  for (int ms = 1; ms < 2000; ms += 13) {
    const std::string next = NewEvaluationId(start + std::chrono::milliseconds(ms));
    EXPECT_LT(last, next);
    last = next;
  }
}

}  // namespace
}  // namespace kgym
