// What a step's host hands back: only what was agreed on is taken.
#include "judge/workflow/toolkit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/fd.h"

namespace kgym::judge {
namespace {

using testing::HasSubstr;

Answer AnswerOf(const Json& names, const std::vector<std::string>& files) {
  Answer answer;
  answer.body = {{"files", names}};
  for (const std::string& bytes : files) answer.fds.push_back(*SealedMemfd("test", bytes));
  return answer;
}

StepRecord Take(const Json& names, const std::vector<std::string>& files) {
  static const TypedFields output = *ReadTypedFields({{"x", "float"}}, "output");
  return TakeStep(AnswerOf(names, files), output);
}

TEST(TakeStep, TakesOutputAndFiles) {
  const StepRecord record = Take({"a.csv", "deep/b.txt"}, {R"({"x": 2})", "1,2", ""});
  EXPECT_EQ(record.state, StepRecord::State::kOk);
  EXPECT_EQ(record.output, (Json{{"x", 2}}));
  ASSERT_EQ(record.files.size(), 2U);
  EXPECT_EQ(record.files[1].name, "deep/b.txt");
  EXPECT_EQ(record.files[0].bytes, "1,2");
}

TEST(TakeStep, OtherTypesAreTheStepsFailure) {
  for (const char* output : {R"({"x": "2"})", "{}", "[]", R"({"x": 2, "y": 3})", "null"}) {
    const StepRecord record = Take(Json::array(), {output});
    EXPECT_EQ(record.outcome, Outcome::kFailShape) << output;
    EXPECT_THAT(record.reason, HasSubstr("its output")) << output;
    EXPECT_TRUE(record.output.is_null());
  }
}

TEST(TakeStep, WhatNoHostSaysIsForged) {
  EXPECT_EQ(Take(Json::array(), {"{\"x\": 1"}).outcome, Outcome::kRejectedResultForgery);
  EXPECT_EQ(Take(Json::array(), {}).outcome, Outcome::kRejectedResultForgery);
  EXPECT_EQ(Take({"a"}, {R"({"x": 1})"}).outcome, Outcome::kRejectedResultForgery);
  EXPECT_EQ(Take("a", {R"({"x": 1})"}).outcome, Outcome::kRejectedResultForgery);
  for (const char* name : {"../a", "/etc/a", "a/../b", "", ".hidden", "a//b", "a/", "a\nb", "ä"})
    EXPECT_EQ(Take({name}, {R"({"x": 1})", ""}).outcome, Outcome::kRejectedResultForgery) << name;
  EXPECT_EQ(Take({"a", "a"}, {R"({"x": 1})", "", ""}).outcome, Outcome::kRejectedResultForgery);
  EXPECT_EQ(Take({3}, {R"({"x": 1})", ""}).outcome, Outcome::kRejectedResultForgery);
}

TEST(TakeStep, SizesAreBounded) {
  const Fd holes = *CreateMemfd("holes");
  ASSERT_EQ(::ftruncate(holes.get(), std::int64_t{1} << 30), 0);
  Answer large = AnswerOf(Json::array(), {});
  large.fds.push_back(*holes.Duplicate());
  const StepRecord record = TakeStep(std::move(large), {});
  EXPECT_EQ(record.outcome, Outcome::kFailShape);
  EXPECT_THAT(record.reason, HasSubstr("at most 4.0 MiB of JSON"));

  Answer files = AnswerOf({"a"}, {"{}"});
  files.fds.push_back(*holes.Duplicate());
  EXPECT_EQ(TakeStep(std::move(files), {}).outcome, Outcome::kFailShape);
}

}  // namespace
}  // namespace kgym::judge
