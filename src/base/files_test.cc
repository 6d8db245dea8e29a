#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace kgym {
namespace {

namespace fs = std::filesystem;

TEST(Files, WritesWholeAndReadsBack) {
  const TempDir folder = std::move(TempDir::Create("kgym-test-")).value();
  const fs::path file = folder.path() / "a.txt";
  ASSERT_TRUE(WriteFileAtomic(file, "one").ok());
  ASSERT_TRUE(WriteFileAtomic(file, "two", 0600).ok());
  EXPECT_EQ(*ReadFile(file), "two");
  EXPECT_EQ(ListFiles(folder.path())->size(), 1u);  // No temporary is left.
}

TEST(Files, ErrorsNameThePath) {
  EXPECT_EQ(ReadFile("/nonexistent/x").error().message, "/nonexistent/x: No such file or directory");
  EXPECT_NE(WriteFileAtomic("/nonexistent/x", "").error().message.find("/nonexistent/x"), std::string::npos);
  EXPECT_EQ(ListFiles("/nonexistent").error().message, "/nonexistent: No such file or directory");
}

TEST(Files, FailedWriteLeavesNothing) {
  const TempDir folder = std::move(TempDir::Create("kgym-test-")).value();
  ASSERT_TRUE(MakeFolders(folder.path() / "taken").ok());
  EXPECT_FALSE(WriteFileAtomic(folder.path() / "taken", "x").ok());
  EXPECT_TRUE(ListFiles(folder.path())->empty());
}

TEST(Files, ReadRespectsItsLimit) {
  const TempDir folder = std::move(TempDir::Create("kgym-test-")).value();
  ASSERT_TRUE(WriteFileAtomic(folder.path() / "a", "12345").ok());
  EXPECT_TRUE(ReadFile(folder.path() / "a", 5).ok());
  EXPECT_FALSE(ReadFile(folder.path() / "a", 4).ok());
}

TEST(Files, ListsSortedBySuffix) {
  const TempDir folder = std::move(TempDir::Create("kgym-test-")).value();
  ASSERT_TRUE(MakeFolders(folder.path() / "deep/er").ok());
  for (const char* name : {"b.py", "a.txt", "deep/er/a.py", "c.pyc"}) {
    ASSERT_TRUE(WriteFileAtomic(folder.path() / name, "").ok());
  }
  const std::vector<fs::path> expected = {folder.path() / "b.py", folder.path() / "deep/er/a.py"};
  EXPECT_EQ(*ListFiles(folder.path(), ".py"), expected);
}

TEST(TempDir, IsPrivateAndGoesWithItsOwner) {
  fs::path path;
  {
    TempDir folder = std::move(TempDir::Create("kgym-test-")).value();
    path = folder.path();
    struct stat info {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
    ASSERT_TRUE(WriteFileAtomic(path / "file", "x").ok());
    const TempDir moved = std::move(folder);
    EXPECT_EQ(moved.path(), path);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace kgym
