#include "service/http/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgym::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(Target, IsTakenApart) {
  const Target target = ParseTarget("/v1/evaluations/a%2Fb?limit=3&run=big+run&empty=&flag").value();
  EXPECT_THAT(target.segments, ElementsAre("v1", "evaluations", "a/b"));
  EXPECT_THAT(target.query,
              ElementsAre(Pair("empty", ""), Pair("flag", ""), Pair("limit", "3"), Pair("run", "big run")));
}

TEST(Target, KeepsEmptySegments) {
  EXPECT_THAT(ParseTarget("/").value().segments, ElementsAre(""));
  EXPECT_THAT(ParseTarget("/a//b/").value().segments, ElementsAre("a", "", "b", ""));
}

TEST(Target, LeavesPlusInPathsAlone) { EXPECT_THAT(ParseTarget("/a+b").value().segments, ElementsAre("a+b")); }

TEST(Target, RefusesWhatIsNoText) {
  for (const char* bad : {"/%", "/%4", "/%zz", "/%00", "/%ff", "/?a=%c3%28", "*", "http://host/"}) {
    EXPECT_FALSE(ParseTarget(bad).ok()) << bad;
  }
  EXPECT_THAT(ParseTarget("/%zz").error().message, HasSubstr("'%zz' found"));
}

TEST(Target, EncodingComesBack) {
  const std::string text = "level1/ß & ü%+";
  EXPECT_EQ(PercentDecode(PercentEncode(text), true).value(), text);
}

}  // namespace
}  // namespace kgym::http
