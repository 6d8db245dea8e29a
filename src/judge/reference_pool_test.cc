#include "judge/reference_pool.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "judge/fake_host.h"

namespace kgym::judge {
namespace {

class ReferencePoolTest : public testing::Test {
 protected:
  ReferencePool::Lease Add(ReferencePool& pool, const std::string& key) {
    FakeHost fake(io_.get_executor(), HostKind::kReference, nullptr);
    return pool.Add(std::move(fake.host), key, {});
  }
  void Do(Awaitable<void> work) {
    Spawn(io_.get_executor(), std::move(work));
    io_.restart();
    io_.run();
  }

  boost::asio::io_context io_{1};
};

TEST_F(ReferencePoolTest, AHostServesOneEvaluationAtATime) {
  ReferencePool pool(2);
  ReferencePool::Lease first = Add(pool, "a");
  EXPECT_FALSE(pool.Find("a")) << "it is busy";
  first.Release();
  EXPECT_TRUE(pool.Find("a"));
  EXPECT_FALSE(pool.Find("b"));
}

TEST_F(ReferencePoolTest, TheOneThatRestedLongestMakesRoom) {
  ReferencePool pool(2);
  Add(pool, "a").Release();
  Add(pool, "b").Release();
  pool.Find("a").Release();  // Used again: now "b" has rested longest.
  Do(pool.MakeRoom());
  EXPECT_TRUE(pool.Find("a"));
  EXPECT_FALSE(pool.Find("b"));
}

TEST_F(ReferencePoolTest, WhoIsBusyStays) {
  ReferencePool pool(1);
  ReferencePool::Lease busy = Add(pool, "a");
  Do(pool.MakeRoom());
  busy.Release();
  EXPECT_TRUE(pool.Find("a"));
}

TEST_F(ReferencePoolTest, ADroppedHostIsNotFoundAgain) {
  ReferencePool pool(1);
  Do(pool.Drop(Add(pool, "a")));
  EXPECT_FALSE(pool.Find("a"));
}

}  // namespace
}  // namespace kgym::judge
