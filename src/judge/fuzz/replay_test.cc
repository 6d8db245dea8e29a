// Replays a target's corpus: what was found once stays mended.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "judge/fuzz/target.h"

namespace kgym::judge::fuzz {
namespace {

std::vector<std::filesystem::path> Corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(KGYM_CORPUS)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

void Replay(std::string_view bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

TEST(Corpus, EveryInputHolds) {
  const std::vector<std::filesystem::path> files = Corpus();
  ASSERT_FALSE(files.empty()) << KGYM_CORPUS << " is empty";
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const Result<std::string> bytes = ReadFile(file);
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    Replay(*bytes);
  }
}

TEST(Corpus, EveryStartOfAnInputHolds) {
  for (const std::filesystem::path& file : Corpus()) {
    SCOPED_TRACE(file.filename().string());
    const std::string bytes = ReadFile(file).value();
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / 64);
    for (std::size_t size = 0; size < bytes.size(); size += step) Replay(std::string_view(bytes).substr(0, size));
  }
}

}  // namespace
}  // namespace kgym::judge::fuzz
