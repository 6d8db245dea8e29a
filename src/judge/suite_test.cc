#include "judge/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"

namespace kgym::judge {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// A folder with these files, each holding its own name as a comment.
TempDir FolderWith(const std::vector<std::string>& files) {
  TempDir folder = std::move(TempDir::Create("kgym-suite-test-")).value();
  for (const std::string& file : files) {
    const fs::path path = folder.path() / file;
    EXPECT_TRUE(MakeFolders(path.parent_path()).ok());
    EXPECT_TRUE(WriteFileAtomic(path, "# " + file).ok());
  }
  return folder;
}

TEST(Suite, NamesBuiltInProblemsWithoutTheirEnding) {
  const TempDir folder =
      FolderWith({"problems/level2/b.py", "problems/level1/c.py", "problems/level1/a.py", "problems/README.md"});
  const auto suite = Suite::Open(SuiteKind::kBuiltIn, folder.path());
  ASSERT_TRUE(suite.ok());
  EXPECT_THAT(suite->names(), ElementsAre("level1/a", "level1/c", "level2/b"));
  EXPECT_EQ(suite->Load("level1/a.py")->source, "# problems/level1/a.py");
}

TEST(Suite, KernelBenchIsOrderedByNumberAndNamedInManyWays) {
  const TempDir folder = FolderWith({"KernelBench/level1/19_ReLU.py", "KernelBench/level1/1_Square.py",
                                     "KernelBench/level1/100_Hinge.py", "KernelBench/changelog/v0.1/level1/19_Old.py"});
  const auto suite = Suite::Open(SuiteKind::kKernelBench, folder.path());
  ASSERT_TRUE(suite.ok());
  EXPECT_THAT(suite->names(), ElementsAre("level1/1_Square.py", "level1/19_ReLU.py", "level1/100_Hinge.py"));
  for (const char* name : {"1/19", "1:19", "level1/19", "level1/19_ReLU", "level1/19_ReLU.py"}) {
    const Result<Problem> problem = suite->Load(name);
    ASSERT_TRUE(problem.ok()) << name;
    EXPECT_EQ(problem->name, "level1/19_ReLU.py");
  }
  EXPECT_EQ(suite->Load("1/1")->name, "level1/1_Square.py");
  EXPECT_FALSE(suite->Load("1/10").ok());
}

TEST(Suite, AnUnknownNameIsAnsweredWithTheNearest) {
  const TempDir folder = FolderWith({"problems/level1/softmax.py"});
  const auto suite = Suite::Open(SuiteKind::kBuiltIn, folder.path());
  EXPECT_THAT(suite->Load("level1/sofmax").error().message, HasSubstr("did you mean 'level1/softmax'?"));
  EXPECT_THAT(suite->Load("softmax").error().message, HasSubstr("did you mean 'level1/softmax'?"));
  EXPECT_THAT(suite->Load("../../etc/passwd").error().message, HasSubstr("no problem"));
}

TEST(Suite, ARootWithoutLevelsIsRefused) {
  const TempDir folder = FolderWith({"a.py"});
  EXPECT_THAT(Suite::Open(SuiteKind::kBuiltIn, folder.path()).error().message, HasSubstr("no folder level1"));
  EXPECT_THAT(Suite::Open(SuiteKind::kKernelBench).error().message, HasSubstr("--root DIR"));
}

TEST(ProblemFromFile, RefusesWhatIsNotUtf8) {
  const TempDir folder = FolderWith({});
  const fs::path path = folder.path() / "bad.py";
  ASSERT_TRUE(WriteFileAtomic(path, "x = '\xff'").ok());
  EXPECT_THAT(ProblemFromFile(path).error().message, HasSubstr("not UTF-8"));
}

TEST(OutlineOf, ReadsDocstringAndWorkloads) {
  const ProblemOutline outline = OutlineOf(
      "\"\"\"Sum of each row.\n\nMore.\"\"\"\nrows = 4\nWORKLOADS = {\"cpu\": {\"rows\": 2}, 'tiny': {'rows': 1, "
      "\"shape\": [1, 2]}}\nMETA = {\"a\": 1}\n");
  EXPECT_EQ(outline.sentence, "Sum of each row.");
  EXPECT_THAT(outline.workloads, ElementsAre("cpu", "tiny"));
}

TEST(OutlineOf, BearsAnyText) {
  for (const char* text : {"", "\"\"\"", "\nWORKLOADS", "\nWORKLOADS = {", "\nWORKLOADS = {\"a", "\nWORKLOADS = }}}"}) {
    EXPECT_TRUE(OutlineOf(text).workloads.empty()) << text;
  }
}

}  // namespace
}  // namespace kgym::judge
