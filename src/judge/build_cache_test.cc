#include <gtest/gtest.h>
#include <unistd.h>

#include "judge/baseline.h"
#include "judge/build.h"

namespace kgym::judge {
namespace {

Artefacts Sample(const std::string& bytes) {
  Artefacts artefacts;
  artefacts.keys = {std::string(64, 'a')};
  artefacts.files.push_back(SealedMemfd("sample", bytes).value());
  return artefacts;
}

TEST(BuildCache, GivesBackWhatWasStored) {
  const TempDir folder = TempDir::Create("kgym-test-").value();
  const BuildCache cache(folder.path() / "builds", "salt");
  const std::string key = cache.Key({.name = "s", .source = "x"});
  EXPECT_FALSE(cache.Load(key).ok());
  ASSERT_TRUE(cache.Store(key, Sample("machine code")).ok());
  const Artefacts loaded = cache.Load(key).value();
  EXPECT_TRUE(loaded.cached);
  EXPECT_EQ(ReadMemfd(loaded.files[0].get(), 1 << 20).value(), "machine code");
}

TEST(BuildCache, AnEntryThatWasChangedIsNoEntry) {
  const TempDir folder = TempDir::Create("kgym-test-").value();
  const BuildCache cache(folder.path(), "salt");
  const std::string key = cache.Key({.name = "s", .source = "x"});
  ASSERT_TRUE(cache.Store(key, Sample("machine code")).ok());
  ASSERT_TRUE(WriteFileAtomic(folder.path() / key / std::string(64, 'a'), "other code!!").ok());
  EXPECT_FALSE(cache.Load(key).ok());
}

TEST(BuildCache, KeysDifferBySubmissionAndSalt) {
  const BuildCache one("/nowhere", "one"), two("/nowhere", "two");
  const Submission submission{.name = "s", .source = "x"};
  EXPECT_NE(one.Key(submission), two.Key(submission));
  EXPECT_NE(one.Key(submission), one.Key({.name = "s", .source = "y"}));
}

Answer Built(const std::vector<std::string>& files) {
  Answer answer;
  answer.body = {{"artefacts", Json::array()}};
  for (const std::string& bytes : files) {
    answer.body["artefacts"].push_back(std::string(64, static_cast<char>('a' + answer.fds.size())));
    answer.fds.push_back(SealedMemfd("built", bytes).value());
  }
  return answer;
}

TEST(TakeArtefacts, KeepsPrivateCopies) {
  const Artefacts artefacts = TakeArtefacts(Built({"one", "two"})).value();
  EXPECT_EQ(artefacts.keys, (std::vector<std::string>{std::string(64, 'a'), std::string(64, 'b')}));
  EXPECT_EQ(ReadMemfd(artefacts.files[1].get(), 99).value(), "two");
}

TEST(TakeArtefacts, BoundsTheirSum) {
  EXPECT_TRUE(TakeArtefacts(Built({"1234", "5678"}), 8).ok());
  EXPECT_FALSE(TakeArtefacts(Built({"1234", "56789"}), 8).ok());
  Answer holes = Built({});
  for (char name : {'a', 'b', 'c'}) {
    Fd memfd = CreateMemfd("holes").value();
    ASSERT_EQ(::ftruncate(memfd.get(), kMostArtefactBytes / 2), 0);
    holes.body["artefacts"].push_back(std::string(64, name));
    holes.fds.push_back(std::move(memfd));
  }
  EXPECT_FALSE(TakeArtefacts(std::move(holes)).ok()) << "files that cost who made them nothing";
}

TEST(TakeArtefacts, RefusesWhatNoBuilderSays) {
  const Result<Artefacts> fewer = TakeArtefacts([] {
    Answer answer = Built({"one"});
    answer.fds.clear();
    return answer;
  }());
  EXPECT_FALSE(fewer.ok());
  for (const Json& name : {Json("../../escape"), Json(7), Json(std::string(64, 'g')), Json(nullptr)}) {
    Answer answer = Built({"one"});
    answer.body["artefacts"][0] = name;
    EXPECT_FALSE(TakeArtefacts(std::move(answer)).ok()) << DumpJson(name);
  }
}

TEST(Baselines, HoldWhileTheEagerTimeHolds) {
  const TempDir folder = TempDir::Create("kgym-test-").value();
  const Baselines baselines(folder.path() / "b", "salt");
  EXPECT_FALSE(baselines.Find("p", 1.0));
  ASSERT_TRUE(baselines.Keep("p", {.compiled_ms = 0.5, .eager_ms = 1.0}).ok());
  EXPECT_EQ(baselines.Find("p", 1.2)->compiled_ms, 0.5);
  EXPECT_FALSE(baselines.Find("p", 2.0)) << "the machine is not what it was";
  ASSERT_TRUE(WriteFileAtomic(folder.path() / "b/x.json", "{").ok());
  EXPECT_FALSE(baselines.Find("q", 1.0));
}

}  // namespace
}  // namespace kgym::judge
