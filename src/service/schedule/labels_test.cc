#include "service/schedule/labels.h"

#include <gtest/gtest.h>

namespace kgym::service {
namespace {

TEST(Labels, AValueMayBeSeveralOrAny) {
  EXPECT_TRUE(Covers("cpp", "cpp"));
  EXPECT_TRUE(Covers("*", "cpp"));
  for (const char* one : {"cpp", "cuda", "triton"}) EXPECT_TRUE(Covers("cpp|cuda|triton", one)) << one;
  for (const char* other : {"cp", "cuda|", "", "tritonx", "|"}) EXPECT_FALSE(Covers("cpp|cuda|triton", other)) << other;
  EXPECT_TRUE(Covers("", ""));
  EXPECT_FALSE(Covers("", "cpp"));
}

TEST(Labels, ALaneMustHaveAllThatIsWanted) {
  const Labels lane = {{"device", "cuda"}, {"backend", "cuda|triton"}, {"card", "NVIDIA H100 80GB HBM3"}};
  EXPECT_TRUE(Satisfies(lane, {}));
  EXPECT_TRUE(Satisfies(lane, {{"backend", "triton"}, {"card", "NVIDIA H100 80GB HBM3"}}));
  EXPECT_FALSE(Satisfies(lane, {{"backend", "cpp"}}));
  EXPECT_FALSE(Satisfies(lane, {{"backend", "triton"}, {"pool", "night"}}));
}

}  // namespace
}  // namespace kgym::service
