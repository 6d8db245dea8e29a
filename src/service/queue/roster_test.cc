// Both rosters: who is on them, when they are taken off, and whose a name is.
#include "service/queue/roster.h"

#include <gtest/gtest.h>

#include "service/queue/memory_roster.h"
#include "service/queue/queue_fixture.h"
#include "service/queue/redis_roster.h"
#include "service/queue/redis_server.h"

namespace kgym::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RosterTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (GetParam() == std::string("memory")) {
      roster_ = std::make_unique<MemoryRoster>(clock_);
      return;
    }
    auto server = RedisServer::Start();
    if (!server) GTEST_SKIP() << server.error().message;
    server_ = std::move(*server);
    roster_ = Open();
  }
  std::unique_ptr<Roster> Open() { return OpenRedisRoster({.address = server_->address(), .clock = &clock_}).value(); }

  template <class T>
  T Await(Awaitable<T> work) {
    return driver_.Await(std::move(work));
  }
  Roster::Reply Tell(const std::string& name, const std::string& instance, const std::string& text = "") {
    return *Await(roster_->Tell({name, instance, text}));
  }
  std::vector<std::string> Texts() {
    std::vector<std::string> texts;
    const std::vector<Member> members = Await(roster_->Members()).value();
    for (const Member& member : members) texts.push_back(member.name + ":" + member.text);
    return texts;
  }

  boost::asio::io_context context_;
  FakeClock clock_;
  std::unique_ptr<RedisServer> server_;
  std::unique_ptr<Roster> roster_;
  Driver driver_{context_};
};

TEST_P(RosterTest, HoldsWhatEachSaidLast) {
  EXPECT_EQ(Tell("b", "1", "one").answer, Roster::Answer::kTaken);
  Tell("a", "2", "two");
  Tell("b", "1", "three");
  EXPECT_THAT(Texts(), ElementsAre("a:two", "b:three"));
  ASSERT_TRUE(Await(roster_->Leave({"b", "1"})));
  EXPECT_THAT(Texts(), ElementsAre("a:two"));
}

TEST_P(RosterTest, WhoeverIsSilentIsTakenOff) {
  Tell("a", "1");
  Tell("b", "2");
  EXPECT_THAT(Texts(), ElementsAre("a:", "b:"));
  clock_.Advance(kSilence / 2 + 1s);
  Tell("b", "2");
  EXPECT_THAT(Texts(), ElementsAre("a:", "b:"));
  clock_.Advance(kSilence / 2);
  EXPECT_THAT(Texts(), ElementsAre("b:"));
  Tell("a", "1");
  EXPECT_THAT(Texts(), ElementsAre("a:", "b:"));
}

TEST_P(RosterTest, ANameIsOneLivingProcesss) {
  Tell("a", "1", "first");
  const Roster::Reply held = Tell("a", "2", "second");
  EXPECT_EQ(held.answer, Roster::Answer::kNameHeld);
  EXPECT_THAT(held.why, HasSubstr("--name"));
  ASSERT_TRUE(Await(roster_->Leave({"a", "2"})));  // Not its own to give back.
  EXPECT_THAT(Texts(), ElementsAre("a:first"));
  clock_.Advance(kSilence + 1s);
  EXPECT_EQ(Tell("a", "2", "second").answer, Roster::Answer::kTaken);
  EXPECT_EQ(Tell("a", "1").answer, Roster::Answer::kNameHeld);
  EXPECT_THAT(Texts(), ElementsAre("a:second"));
}

TEST_P(RosterTest, ProcessesShareIt) {
  if (GetParam() == std::string("memory")) GTEST_SKIP() << "it belongs to one process";
  const std::unique_ptr<Roster> other = Open();
  Tell("a", "1", "x");
  EXPECT_EQ(Await(other->Members())->size(), 1);
  clock_.Advance(kSilence + 1s);
  EXPECT_THAT(*Await(other->Members()), IsEmpty());
  EXPECT_THAT(Texts(), IsEmpty());
}

TEST_P(RosterTest, AnotherProtocolIsRefused) {
  if (GetParam() == std::string("memory")) GTEST_SKIP() << "it belongs to one process";
  ASSERT_TRUE(server_->Ask({"SET", "{kgym}:protocol", "99"}));
  const auto opened = OpenRedisRoster({.address = server_->address(), .clock = &clock_});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("speaks protocol 99, this kgym protocol 1"));
}

INSTANTIATE_TEST_SUITE_P(Each, RosterTest, testing::Values("memory", "redis"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace kgym::service
