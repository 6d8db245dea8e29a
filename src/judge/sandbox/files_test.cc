#include "judge/sandbox/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace kgym::judge::sandbox {
namespace {

TEST(Files, IsWithinComparesWholeNames) {
  EXPECT_TRUE(IsWithin("/usr", "/usr"));
  EXPECT_TRUE(IsWithin("/usr/lib", "/usr"));
  EXPECT_FALSE(IsWithin("/usrlocal", "/usr"));
  EXPECT_FALSE(IsWithin("/", "/usr"));
}

TEST(Files, MakeFoldersIgnoresTheUmask) {
  const std::string base = std::filesystem::temp_directory_path() / ("kgym-files-" + std::to_string(getpid()));
  const mode_t before = umask(077);
  EXPECT_TRUE(MakeFolders(base + "/a/b"));
  umask(before);
  struct stat made = {};
  ASSERT_EQ(stat((base + "/a").c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0777u, 0755u);

  EXPECT_TRUE(WriteNew(base + "/file", "text", 0444));
  EXPECT_FALSE(MakeFolders(base + "/file/below"));
  EXPECT_EQ(ReadAll(base + "/file"), "text");
  EXPECT_FALSE(WriteExisting(base + "/absent", "text"));
  std::filesystem::remove_all(base);
}

}  // namespace
}  // namespace kgym::judge::sandbox
