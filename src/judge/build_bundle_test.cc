#include "judge/build_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"

namespace kgym::judge {
namespace {

using testing::HasSubstr;

Artefacts Sample() {
  Artefacts artefacts;
  for (const char* bytes : {"machine\ncode", ""}) {
    artefacts.keys.push_back(std::string(64, static_cast<char>('a' + artefacts.keys.size())));
    artefacts.files.push_back(SealedMemfd("sample", bytes).value());
  }
  return artefacts;
}

TEST(BuildBundle, ComesThroughWhole) {
  const std::string bundle = PackBuild(Sample()).value();
  ASSERT_TRUE(CheckBundle(bundle).ok());
  const Artefacts artefacts = UnpackBuild(bundle).value();
  EXPECT_TRUE(artefacts.cached && artefacts.fetched);
  EXPECT_EQ(artefacts.keys, Sample().keys);
  EXPECT_EQ(ReadMemfd(artefacts.files[0].get(), 99).value(), "machine\ncode");
  EXPECT_EQ(ReadMemfd(artefacts.files[1].get(), 99).value(), "");
}

TEST(BuildBundle, AChangedByteIsSeen) {
  std::string bundle = PackBuild(Sample()).value();
  bundle.back() ^= 1;
  EXPECT_THAT(CheckBundle(bundle).error().message, HasSubstr("is not what its digest says"));
  EXPECT_FALSE(UnpackBuild(bundle).ok());
}

TEST(BuildBundle, WhatIsNoneIsSaid) {
  const std::string bundle = PackBuild(Sample()).value();
  const std::pair<std::string, const char*> wrong[] = {
      {"", "first line"},
      {"{}\n", "artefacts"},
      {"no json\n", "first line"},
      {bundle + "x", "left over"},
      {bundle.substr(0, bundle.size() - 1), "are left"},
      {R"({"artefacts":[{"key":"../../etc","sha256":"","bytes":0}]})"
       "\n",
       "64 hex digits"},
      {R"({"artefacts":[{"key":"a","sha256":"","bytes":-1}]})"
       "\n",
       "build bundle"},
  };
  for (const auto& [text, sentence] : wrong)
    EXPECT_THAT(CheckBundle(text).error().message, HasSubstr(sentence)) << text;
}

TEST(BuildSalt, DiffersByDeviceAndArchitecture) {
  const Json versions = {{"torch", "2.13.0"}};
  const std::string cpu = BuildMark(BuildSalt(versions, "runner", {{}, "cpu", ""}));
  const std::string card = BuildMark(BuildSalt(versions, "runner", {{}, "cuda", "90"}));
  EXPECT_EQ(cpu.size(), 16);
  EXPECT_NE(cpu, card);
  EXPECT_NE(card, BuildMark(BuildSalt(versions, "runner", {{}, "cuda", "100"})));
  EXPECT_NE(cpu, BuildMark(BuildSalt({{"torch", "2.12.0"}}, "runner", {{}, "cpu", ""})));
  EXPECT_EQ(cpu, BuildMark(BuildSalt(versions, "runner", {{0, 1}, "cpu", ""})));  // Where it runs does not matter.
}

}  // namespace
}  // namespace kgym::judge
