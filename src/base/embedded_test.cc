#include "base/embedded.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "base/files.h"

namespace kgym {
namespace {

// KGYM_PYTHON_ROOT: the folder that the embedded paths are relative to, set by the build.
TEST(Embedded, HasTheBytesOfEachFile) {
  std::set<std::string> seen;
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    EXPECT_TRUE(seen.emplace(file.path).second) << file.path;
    if (!file.path.starts_with("kgym_runner/")) continue;
    const Result<std::string> source = ReadFile(std::filesystem::path(KGYM_PYTHON_ROOT) / file.path);
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_TRUE(file.bytes == *source) << file.path;
  }
  EXPECT_TRUE(seen.contains("kgym_runner/__init__.py"));
}

}  // namespace
}  // namespace kgym
