#include "judge/problem.h"

#include <gtest/gtest.h>

namespace kgym::judge {
namespace {

std::string FaultOf(std::string source) { return FormatFault({.name = "s", .source = std::move(source)}); }

TEST(FormatFault, SoundSourcesHaveNone) {
  EXPECT_EQ(FaultOf("class ModelNew: pass\n"), "");
  EXPECT_EQ(FaultOf("\xEF\xBB\xBF# 核\nclass ModelNew: pass\r\n"), "") << "a BOM, CJK and CRLF are fine";
}

TEST(FormatFault, NamesWhatIsWrong) {
  EXPECT_NE(FaultOf(""), "");
  EXPECT_NE(FaultOf(" \n\t").find("empty"), std::string::npos);
  EXPECT_NE(FaultOf(std::string("a\0b", 3)).find("NUL byte at 1"), std::string::npos);
  EXPECT_NE(FaultOf("x = '\xED\xA0\x80'").find("UTF-8"), std::string::npos) << "a lone surrogate";
  EXPECT_NE(FaultOf("```python\nx\n```").find("markdown"), std::string::npos);
  EXPECT_NE(FaultOf(std::string(10 << 20, 'x')).find("10485760 bytes"), std::string::npos);
}

TEST(Hash, EveryFieldThatMattersCounts) {
  const Problem problem{.name = "p", .source = "s"};
  Problem other = problem;
  other.sizes["n"] = 3;
  EXPECT_NE(problem.Hash(), other.Hash());
  other = problem;
  other.workload = "gpu";
  EXPECT_NE(problem.Hash(), other.Hash());
  other = problem;
  other.path = "elsewhere";
  EXPECT_EQ(problem.Hash(), other.Hash());
  const Submission submission{.name = "a", .source = "s"};
  Submission renamed = submission;
  renamed.name = "b";
  EXPECT_EQ(submission.Hash(), renamed.Hash());
  renamed.backend = "triton";
  EXPECT_NE(submission.Hash(), renamed.Hash());
}

}  // namespace
}  // namespace kgym::judge
