#include "judge/sandbox/step.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "judge/sandbox/contain.h"

namespace kgym::judge::sandbox {
namespace {

TEST(Report, LevelIsThatOfAllSteps) {
  Report report;
  report.Add(Full("a"));
  EXPECT_EQ(report.level(), Level::kFull);
  EXPECT_EQ(report.Weakest(), nullptr);
  report.Add(None("b", "why"));
  EXPECT_EQ(report.level(), Level::kPartial);
  EXPECT_EQ(report.Weakest()->name, "b");
  EXPECT_EQ(Report{{None("b", "why")}}.level(), Level::kNone);
}

TEST(Report, FailedStepQuotesErrno) {
  errno = EPERM;
  EXPECT_EQ(Failed("a", "unshare").detail, "unshare: Operation not permitted (EPERM)");
}

TEST(Report, JsonSurvivesOddBytes) {
  const std::string json = Report{{None("a", "path \xff")}}.ToJson();
  EXPECT_NE(json.find("\"level\":\"none\""), std::string::npos) << json;
}

TEST(Report, OnlyAStrictSpecMakesAWeakStepAnError) {
  SandboxSpec spec;
  const Report report{{Full("a"), None("b", "why")}};
  EXPECT_EQ(StrictError(spec, report), "");
  spec.strict = true;
  EXPECT_NE(StrictError(spec, report).find("step 'b' reached level 'none' (why)"), std::string::npos);
}

}  // namespace
}  // namespace kgym::judge::sandbox
