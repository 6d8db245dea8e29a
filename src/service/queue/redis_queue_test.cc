// What is the distributed queue's own: its settings, its server dying, many processes on one.
#include "service/queue/redis_queue.h"

#include <map>

#include "service/queue/queue_fixture.h"
#include "service/queue/redis_server.h"

namespace kgym::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Accepted::Kind;

class RedisQueueTest : public testing::Test {
 protected:
  /// Skips the test where the machine has no redis-server.
  void Begin(std::vector<std::string> settings = {}) {
    auto server = RedisServer::Start(std::move(settings));
    if (!server) GTEST_SKIP() << server.error().message;
    server_ = std::move(*server);
  }
  RedisOptions Options() { return {.address = server_->address(), .clock = &clock_}; }
  std::string Refusal(const RedisOptions& options) {
    const auto opened = OpenRedisQueue(options);
    return opened ? "opened" : opened.error().message;
  }

  boost::asio::io_context context_;
  FakeClock clock_;
  std::unique_ptr<RedisServer> server_;
  Driver queue_{context_};
};

TEST_F(RedisQueueTest, RefusesSettingsThatLoseTasks) {
  Begin();
  if (IsSkipped()) return;
  ASSERT_TRUE(server_->Ask({"CONFIG", "SET", "appendonly", "no"}));
  EXPECT_THAT(Refusal(Options()), HasSubstr("appendonly is 'no'; 'yes' is expected"));
  EXPECT_THAT(Refusal(Options()), HasSubstr("Run CONFIG SET appendonly yes"));
  ASSERT_TRUE(server_->Ask({"CONFIG", "SET", "appendonly", "yes"}));
  ASSERT_TRUE(server_->Ask({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"}));
  EXPECT_THAT(Refusal(Options()), HasSubstr("Run CONFIG SET maxmemory-policy noeviction"));
  ASSERT_TRUE(server_->Ask({"CONFIG", "SET", "maxmemory-policy", "noeviction"}));
  ASSERT_TRUE(server_->Ask({"CONFIG", "SET", "appendfsync", "everysec"}));
  EXPECT_THAT(Refusal(Options()), HasSubstr("Run CONFIG SET appendfsync always"));
  RedisOptions options = Options();
  options.allow_everysec = true;
  EXPECT_EQ(Refusal(options), "opened");
  ASSERT_TRUE(server_->Ask({"CONFIG", "SET", "appendfsync", "no"}));
  EXPECT_THAT(Refusal(options), HasSubstr("appendfsync is 'no'"));
}

TEST_F(RedisQueueTest, LogsInWithAPassword) {
  Begin({"--requirepass", "open sesame"});
  if (IsSkipped()) return;
  EXPECT_THAT(Refusal(Options()), HasSubstr("see the user and password of the address"));
  RedisOptions options = Options();
  options.address.password = "open";
  EXPECT_THAT(Refusal(options), HasSubstr("WRONGPASS"));
  EXPECT_THAT(Refusal(options), testing::Not(HasSubstr("'open'")));
  options.address.password = "open sesame";
  EXPECT_EQ(Refusal(options), "opened");
  options.address.user = "default";
  options.address.database = 3;
  EXPECT_EQ(Refusal(options), "opened");
}

TEST_F(RedisQueueTest, TellsThatNobodyIsThere) {
  Begin();
  if (IsSkipped()) return;
  server_->Kill();
  EXPECT_THAT(Refusal(Options()), HasSubstr("Connection refused"));
}

TEST_F(RedisQueueTest, AKilledRedisLosesNothingThatWasAnswered) {
  Begin();
  if (IsSkipped()) return;
  queue_.Use(std::move(OpenRedisQueue(Options())).value());
  for (int round = 0; round < 5; ++round) {
    const std::string id = std::to_string(round);
    queue_.Submit({Spec(id), Shared("shared" + id, id), Shared("twin" + id, id)});
    const Hold held = HoldOf(*queue_.Lease(id));
    const Hold shared = HoldOf(*queue_.Lease("shared" + id));
    queue_.Complete(shared, "{\"ok\":1}");
    server_->Kill();
    ASSERT_TRUE(server_->Begin());
    // The queue notices, connects anew, and everything is as it was.
    EXPECT_EQ(queue_.Get(id).state, TaskState::kRunning);
    EXPECT_EQ(queue_.Get("twin" + id).result, "{\"ok\":1}");
    EXPECT_EQ(queue_.Complete(shared, "{\"ok\":2}"), Told::kRepeated);
    EXPECT_EQ(queue_.Complete(held, "{}"), Told::kStored);
    EXPECT_EQ(queue_.SubmitOne(Spec(id)).kind, Kind::kSame);
  }
}

TEST_F(RedisQueueTest, CallsWaitForARedisThatComesBack) {
  Begin();
  if (IsSkipped()) return;
  queue_.Use(std::move(OpenRedisQueue(Options())).value());
  server_->Kill();
  std::vector<Kind> kinds;
  const auto submit = [&](std::string id) -> Awaitable<void> {
    std::vector<TaskSpec> one = {Spec(id)};
    const auto answer = co_await queue_.queue().Submit(std::move(one));
    kinds.push_back(answer.value()[0].kind);
  };
  for (int i = 0; i < 3; ++i) Spawn(context_.get_executor(), submit(std::to_string(i)));
  context_.restart();
  context_.poll();  // The calls are made.
  ASSERT_TRUE(server_->Begin());
  context_.restart();
  context_.run();
  EXPECT_THAT(kinds, ElementsAre(Kind::kNew, Kind::kNew, Kind::kNew));
}

TEST_F(RedisQueueTest, GivesUpOnARedisThatStaysAway) {
  Begin();
  if (IsSkipped()) return;
  RedisOptions options = Options();
  options.patience = 1ms;
  queue_.Use(std::move(OpenRedisQueue(options)).value());
  server_->Kill();
  const auto answer = queue_.Await(queue_.queue().Stats());
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr(Concat("redis 127.0.0.1:", server_->address().port)));
  ASSERT_TRUE(server_->Begin());
  EXPECT_EQ(queue_.Stats().accepted, 0);
}

TEST_F(RedisQueueTest, AScriptThatWasFlushedIsLoadedAgain) {
  Begin();
  if (IsSkipped()) return;
  queue_.Use(std::move(OpenRedisQueue(Options())).value());
  ASSERT_TRUE(server_->Ask({"SCRIPT", "FLUSH"}));
  EXPECT_EQ(queue_.SubmitOne(Spec("a")).kind, Kind::kNew);
}

TEST_F(RedisQueueTest, MemoryThatIsFullIsToldAndGotOver) {
  Begin();
  if (IsSkipped()) return;
  queue_.Use(std::move(OpenRedisQueue(Options())).value());
  queue_.SubmitOne(Spec("a"));
  ASSERT_TRUE(server_->Ask({"CONFIG", "SET", "maxmemory", "1"}));
  const auto refused = queue_.Await(queue_.queue().Submit({Spec("b")}));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("Raise maxmemory"));
  EXPECT_EQ(queue_.Find("b"), std::nullopt);
  EXPECT_EQ(queue_.Get("a").state, TaskState::kQueued);
  ASSERT_TRUE(server_->Ask({"CONFIG", "SET", "maxmemory", "0"}));
  EXPECT_EQ(queue_.SubmitOne(Spec("b")).kind, Kind::kNew);
}

TEST_F(RedisQueueTest, TwoProcessesShareOneQueue) {
  Begin();
  if (IsSkipped()) return;
  Driver other(context_);
  queue_.Use(std::move(OpenRedisQueue(Options())).value());
  other.Use(std::move(OpenRedisQueue(Options())).value());
  queue_.Submit({Spec("a"), Spec("b")});
  const Hold held = HoldOf(*other.Lease("a", "w2"));
  EXPECT_EQ(queue_.Lease("a"), std::nullopt);
  EXPECT_EQ(queue_.Cancel("a")->state, TaskState::kCancelled);
  EXPECT_EQ(other.Extend({held}).size(), 1u);

  // A worker that died with its process: the other one notices. A heartbeat heard by one counts for both.
  const Hold lost = HoldOf(*other.Lease("b", "w2", 10s));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(queue_.Expire(), 0);
    clock_.Advance(6s);
    EXPECT_TRUE(other.Extend({lost}).empty());
  }
  EXPECT_EQ(queue_.Expire(), 0);
  clock_.Advance(11s);
  EXPECT_EQ(queue_.Expire(), 1);
  EXPECT_EQ(other.Complete(lost, "{}"), Told::kStale);
}

TEST_F(RedisQueueTest, QueuesOfTwoPrefixesDoNotMeet) {
  Begin();
  if (IsSkipped()) return;
  RedisOptions options = Options();
  queue_.Use(std::move(OpenRedisQueue(options)).value());
  queue_.SubmitOne(Spec("a"));
  options.prefix = "{other}:";
  queue_.Use(std::move(OpenRedisQueue(options)).value());
  EXPECT_EQ(queue_.Find("a"), std::nullopt);
}

TEST_F(RedisQueueTest, ASubscriberBeginsAnewWhenRedisWasAway) {
  Begin();
  if (IsSkipped()) return;
  queue_.Use(std::move(OpenRedisQueue(Options())).value());
  queue_.SubmitOne(Spec("a"));
  std::vector<std::vector<std::string>> resets;
  std::vector<std::string> changes;
  const auto hear = [&](const Changes& heard) {
    if (heard.reset) {
      resets.push_back(Ids(heard.tasks));
    } else {
      for (const Task& task : heard.tasks) changes.push_back(task.spec.id);
    }
  };
  const auto subscription = queue_.queue().Watch(context_.get_executor(), hear);
  const auto guard = boost::asio::make_work_guard(context_);
  context_.restart();
  while (resets.empty()) context_.run_one();
  server_->Kill();
  ASSERT_TRUE(server_->Begin());
  while (resets.size() < 2) context_.run_one();
  EXPECT_THAT(resets, ElementsAre(ElementsAre("a"), ElementsAre("a")));
}

// More than a page, while others go on: what the subscriber knows in the end is what is so.
TEST_F(RedisQueueTest, ASubscriberOfALongQueueKnowsItAll) {
  Begin();
  if (IsSkipped()) return;
  queue_.Use(std::move(OpenRedisQueue(Options())).value());
  std::vector<TaskSpec> specs;
  for (int i = 0; i < 1200; ++i) specs.push_back(Spec(std::to_string(i)));
  queue_.Submit(specs);
  std::map<std::string, TaskState> known;
  bool told_all = false;
  const auto hear = [&](const Changes& changes) {
    if (changes.reset) known.clear();
    for (const Task& task : changes.tasks) {
      known[task.spec.id] = task.state;
      told_all = told_all || task.spec.id == "last";
    }
  };
  const auto subscription = queue_.queue().Watch(context_.get_executor(), hear);
  for (int i = 0; i < 1200; i += 40) queue_.Lease(std::to_string(i));
  for (int i = 0; i < 1200; i += 80) queue_.Cancel(std::to_string(i));
  queue_.SubmitOne(Spec("last"));
  const auto guard = boost::asio::make_work_guard(context_);
  context_.restart();
  while (!told_all) context_.run_one();
  for (int i = 0; i < 1200; ++i) {
    const auto found = known.find(std::to_string(i));
    const TaskState expected = i % 80 == 0   ? TaskState::kCancelled
                               : i % 40 == 0 ? TaskState::kRunning
                                             : TaskState::kQueued;
    if (found == known.end()) {
      EXPECT_EQ(expected, TaskState::kCancelled) << i;  // It had ended when the subscription began.
    } else {
      EXPECT_EQ(found->second, expected) << i;
    }
  }
}

TEST(RedisAddress, IsRead) {
  const RedisAddress all = *ParseRedisAddress("redis://me:p@ss:word@cache.example:6380/2");
  EXPECT_EQ(all.user, "me");
  EXPECT_EQ(all.password, "p@ss:word");
  EXPECT_EQ(all.host, "cache.example");
  EXPECT_EQ(all.port, 6380);
  EXPECT_EQ(all.database, 2);
  EXPECT_EQ(all.Text(), "redis cache.example:6380");
  EXPECT_EQ(ParseRedisAddress("redis://:secret@h")->password, "secret");
  EXPECT_EQ(ParseRedisAddress("redis://h")->port, 6379);
  EXPECT_EQ(ParseRedisAddress("redis://[::1]:7000")->host, "::1");
  EXPECT_EQ(ParseRedisAddress("redis://[::1]")->host, "::1");
}

TEST(RedisAddress, IsRefusedWithWhatIsExpected) {
  EXPECT_THAT(ParseRedisAddress("http://h").error().message, HasSubstr("redis[s]://[[user]:password@]host"));
  const RedisAddress tls = ParseRedisAddress("rediss://:secret@h:1/2?ca=/etc/ca.pem").value();
  EXPECT_TRUE(tls.tls);
  EXPECT_EQ(tls.host, "h");
  EXPECT_EQ(tls.database, 2);
  EXPECT_EQ(tls.ca, "/etc/ca.pem");
  EXPECT_EQ(tls.Text(), "redis over TLS h:1");
  EXPECT_EQ(ParseRedisAddress("rediss://h").value().ca, "");
  EXPECT_THAT(ParseRedisAddress("redis://h:port").error().message, HasSubstr("port 'port'"));
  EXPECT_THAT(ParseRedisAddress("redis://h:70000").error().message, HasSubstr("65535"));
  EXPECT_THAT(ParseRedisAddress("redis://h/x").error().message, HasSubstr("database 'x'"));
  EXPECT_THAT(ParseRedisAddress("redis://me@h").error().message, HasSubstr("no ':' before '@'"));
}

}  // namespace
}  // namespace kgym::service
