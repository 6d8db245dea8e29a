#include "judge/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "base/files.h"

namespace kgym::judge {
namespace {

using testing::HasSubstr;

Bundle Sample() {
  Bundle bundle;
  bundle.problem = {
      "level1/relu", "problems/level1/relu.py", "import torch\n# \u00e9", "cpu", {{"rows", 4}, {"wide", true}}};
  bundle.submission = {"mine", "class ModelNew: pass", "cpp", "ModelNew"};
  bundle.config = {{"timing", {{"budget", "2s"}}}};
  bundle.verdict = {{"id", "01m8ftzmcydw15wy88rjwpzn5m"}, {"outcome", "ok"}};
  return bundle;
}

std::string Compressed(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 1));
  return bytes;
}

TEST(Bundle, ComesBackWhole) {
  const Bundle sample = Sample();
  const Result<Bundle> read = UnpackBundle(PackBundle(sample), "b");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->problem.Hash(), sample.problem.Hash());
  EXPECT_EQ(read->problem.path, sample.problem.path);
  EXPECT_EQ(read->submission.Hash(), sample.submission.Hash());
  EXPECT_EQ(read->submission.name, "mine");
  EXPECT_EQ(read->config, sample.config);
  EXPECT_EQ(read->verdict, sample.verdict);
}

TEST(Bundle, KeepsASourceThatIsNotUtf8ByteForByte) {
  Bundle sample = Sample();
  sample.submission.source = std::string("\xff\x00\x80x", 4);
  EXPECT_EQ(UnpackBundle(PackBundle(sample), "b")->submission.source, sample.submission.source);
}

TEST(Bundle, KeepsAndReadsAFile) {
  const TempDir folder = std::move(TempDir::Create("kgym-bundle-test-")).value();
  const auto path = KeepBundle(folder.path() / "new", Sample());
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(path->filename(), "01m8ftzmcydw15wy88rjwpzn5m.kgym");
  EXPECT_EQ(ReadBundle(*path)->verdict["outcome"], "ok");
}

TEST(Bundle, RefusesWhatIsNone) {
  const auto message = [](const std::string& bytes) { return UnpackBundle(bytes, "b").error().message; };
  EXPECT_THAT(message(""), HasSubstr("not a zstd frame"));
  EXPECT_THAT(message("{\"schema\": 1}"), HasSubstr("not a zstd frame"));
  EXPECT_THAT(message(Compressed("[]")), HasSubstr("b: field 'schema'"));
  EXPECT_THAT(message(Compressed("{\"schema\": \"kgym.bundle/9\"}")), HasSubstr("'kgym.bundle/1' is expected"));
  const std::string whole = PackBundle(Sample());
  EXPECT_FALSE(UnpackBundle(whole.substr(0, whole.size() / 2), "b").ok());
}

TEST(Bundle, RefusesOneThatUnpacksToMoreThanItsLimit) {
  EXPECT_THAT(UnpackBundle(Compressed(std::string(kBundleLimit + 1, ' ')), "b").error().message, HasSubstr("above"));
}

TEST(Bundle, AHexSourceHasTwoDigitsAByte) {
  for (const char* hex : {"6", "636", "zz", "6 "}) {
    const Json source = {{"name", "n"}, {"source_hex", hex}, {"workload", "cpu"}, {"sizes", Json::object()}};
    const Json bundle = {{"schema", kBundleSchema},
                         {"problem", source},
                         {"submission", source},
                         {"config", Json::object()},
                         {"verdict", Json::object()}};
    EXPECT_THAT(UnpackBundle(Compressed(DumpJson(bundle)), "b").error().message, HasSubstr("two hex digits a byte"))
        << hex;
  }
}

}  // namespace
}  // namespace kgym::judge
