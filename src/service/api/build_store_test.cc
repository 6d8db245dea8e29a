#include "service/api/build_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "base/files.h"
#include "judge/build_bundle.h"

namespace kgym::service {
namespace {

using testing::HasSubstr;

std::string KeyOf(char c) { return std::string(64, c); }

/// A sound build with a file of so many bytes.
std::string Bundle(std::size_t bytes) {
  judge::Artefacts artefacts;
  artefacts.keys = {KeyOf('f')};
  artefacts.files.push_back(SealedMemfd("sample", std::string(bytes, 'x')).value());
  return judge::PackBuild(artefacts).value();
}

class BuildStoreTest : public testing::Test {
 protected:
  Status Keep(BuildStore& store, std::string key, std::string bundle) {
    Status kept;
    const auto work = [&]() -> Awaitable<void> { kept = co_await store.Keep(std::move(key), std::move(bundle)); };
    Do(work());
    return kept;
  }
  std::optional<std::string> Fetch(BuildStore& store, std::string key) {
    std::optional<std::string> found;
    const auto work = [&]() -> Awaitable<void> { found = (co_await store.Fetch(std::move(key))).value(); };
    Do(work());
    return found;
  }
  void Do(Awaitable<void> work) {
    boost::asio::io_context io{1};
    Spawn(io.get_executor(), std::move(work));
    io.run();
  }

  TempDir folder_ = TempDir::Create("builds").value();
};

TEST_F(BuildStoreTest, GivesWhatItWasGiven) {
  BuildStore store(folder_.path() / "builds", 1 << 20);
  EXPECT_EQ(Fetch(store, KeyOf('a')), std::nullopt);
  ASSERT_TRUE(Keep(store, KeyOf('a'), Bundle(10)).ok());
  ASSERT_TRUE(Keep(store, KeyOf('a'), Bundle(20)).ok());
  EXPECT_EQ(Fetch(store, KeyOf('a')), Bundle(10));  // The first one stays.
  const BuildStoreCounts counts = store.counts();
  EXPECT_EQ(counts.builds, 1);
  EXPECT_EQ(counts.bytes, static_cast<std::int64_t>(Bundle(10).size()));
  EXPECT_EQ(counts.taken, 1);
  EXPECT_EQ(counts.hits, 1);
  EXPECT_EQ(counts.misses, 1);
}

TEST_F(BuildStoreTest, TakesOnlyWhatIsWhatItSays) {
  BuildStore store(folder_.path(), 1 << 20);
  std::string bundle = Bundle(10);
  bundle.back() = 'y';
  EXPECT_THAT(Keep(store, KeyOf('a'), bundle).error().message, HasSubstr("build bundle: artefact"));
  EXPECT_EQ(Fetch(store, KeyOf('a')), std::nullopt);
}

TEST_F(BuildStoreTest, WhatWasAskedForLongestAgoMakesRoom) {
  const auto size = static_cast<std::int64_t>(Bundle(1000).size());
  BuildStore store(folder_.path(), 2 * size);
  for (const char key : {'a', 'b'}) ASSERT_TRUE(Keep(store, KeyOf(key), Bundle(1000)).ok());
  EXPECT_TRUE(Fetch(store, KeyOf('a')));
  ASSERT_TRUE(Keep(store, KeyOf('c'), Bundle(1000)).ok());
  EXPECT_TRUE(Fetch(store, KeyOf('a')));
  EXPECT_FALSE(Fetch(store, KeyOf('b')));
  EXPECT_TRUE(Fetch(store, KeyOf('c')));
  ASSERT_TRUE(Keep(store, KeyOf('d'), Bundle(5000)).ok());  // Larger than all there is: not kept, nothing goes.
  EXPECT_EQ(store.counts().builds, 2);
  EXPECT_EQ(store.counts().dropped, 1);
}

TEST_F(BuildStoreTest, WhatSomebodyRemovedIsNotThere) {
  BuildStore store(folder_.path(), 1 << 20);
  ASSERT_TRUE(Keep(store, KeyOf('a'), Bundle(10)).ok());
  std::filesystem::remove(folder_.path() / KeyOf('a'));
  EXPECT_EQ(Fetch(store, KeyOf('a')), std::nullopt);
  EXPECT_EQ(store.counts().bytes, 0);
  ASSERT_TRUE(Keep(store, KeyOf('a'), Bundle(10)).ok());
  EXPECT_TRUE(Fetch(store, KeyOf('a')));
}

TEST_F(BuildStoreTest, FindsWhatAnEarlierServerLeft) {
  ASSERT_TRUE(WriteFileAtomic(folder_.path() / "something else", "x").ok());
  {
    BuildStore store(folder_.path(), 1 << 20);
    for (const char key : {'a', 'b'}) ASSERT_TRUE(Keep(store, KeyOf(key), Bundle(10)).ok());
  }
  BuildStore again(folder_.path(), 1 << 20);
  EXPECT_EQ(again.counts().builds, 2);
  EXPECT_EQ(Fetch(again, KeyOf('b')), Bundle(10));
  const BuildStore none(folder_.path(), 0);
  EXPECT_EQ(none.counts().builds, 0);
}

}  // namespace
}  // namespace kgym::service
