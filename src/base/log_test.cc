#include "base/log.h"

#include <gtest/gtest.h>

namespace kgym {
namespace {

TEST(Log, WritesTheMessageAsItIsAndRespectsTheLevel) {
  SetLogLevel(LogLevel::kWarning);
  testing::internal::CaptureStderr();
  LogInfo("not this");
  LogWarning("lane gpu0: {braces} and % stay");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("not this"), std::string::npos);
  EXPECT_NE(text.find("warning lane gpu0: {braces} and % stay\n"), std::string::npos) << text;
}

TEST(Log, OffIsSilent) {
  SetLogLevel(LogLevel::kOff);
  testing::internal::CaptureStderr();
  LogError("nothing");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(LogEnabled(LogLevel::kError));
  SetLogLevel(LogLevel::kInfo);
  EXPECT_TRUE(LogEnabled(LogLevel::kError));
  EXPECT_FALSE(LogEnabled(LogLevel::kDebug));
}

}  // namespace
}  // namespace kgym
