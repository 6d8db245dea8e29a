#include "service/api/build_target.h"

#include <gtest/gtest.h>

namespace kgym::service {
namespace {

TEST(BuildTarget, ComesThrough) {
  const std::set<BuildTarget> targets = {{{{"device", "cuda"}, {"backend", "cuda|triton"}}, "abc"}, {{}, "def"}};
  EXPECT_EQ(ReadBuildTargets(DumpJson(BuildTargetsJson(targets))), targets);
}

TEST(BuildTarget, WhatCannotBeReadIsLeftOut) {
  EXPECT_EQ(ReadBuildTargets("no json").size(), 0);
  EXPECT_EQ(ReadBuildTargets("null").size(), 0);
  EXPECT_EQ(ReadBuildTargets(R"([1, {"mark": 2, "labels": {}}, {"mark": "a", "labels": {"x": 1}}])"),
            (std::set<BuildTarget>{{{}, "a"}}));
}

}  // namespace
}  // namespace kgym::service
