// What every queue shows, refuses and forgets: bounds, pages, retention, changes, counts.
#include <thread>

#include "service/queue/each_queue.h"
#include "service/queue/request_check.h"
#include "service/queue/tend.h"

namespace kgym::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = Accepted::Kind;

TEST_P(QueueTest, IsBoundedAndSaysWhenToComeBack) {
  Reopen({.queued = 2});
  const std::vector<Accepted> all = queue_.Submit({Spec("a"), Spec("b"), Spec("c"), Spec("a")});
  EXPECT_EQ(all[1].kind, Kind::kNew);
  EXPECT_EQ(all[2].kind, Kind::kFull);
  EXPECT_THAT(all[2].reason, HasSubstr("the queue is full: 2 tasks wait"));
  EXPECT_GE(all[2].retry_after, 1s);
  EXPECT_LE(all[2].retry_after, 60s);
  EXPECT_EQ(all[3].kind, Kind::kSame);
  EXPECT_EQ(queue_.Find("c"), std::nullopt);
  queue_.Lease("a");
  EXPECT_EQ(queue_.SubmitOne(Spec("c")).kind, Kind::kNew);
}

TEST_P(QueueTest, OneTenantDoesNotFillTheQueueForAll) {
  Reopen({.queued = 100, .queued_per_tenant = 1});
  TaskSpec other = Spec("c");
  other.tenant = "u";
  const std::vector<Accepted> all = queue_.Submit({Spec("a"), Spec("b"), other});
  EXPECT_EQ(all[1].kind, Kind::kFull);
  EXPECT_THAT(all[1].reason, HasSubstr("tenant 't'"));
  EXPECT_EQ(all[2].kind, Kind::kNew);
}

TEST_P(QueueTest, ListsPagesOfTheNewestFirst) {
  for (int i = 0; i < 5; ++i) {
    TaskSpec spec = Spec(std::to_string(i));
    spec.run = i % 2 == 0 ? "even" : "odd";
    spec.tenant = i < 2 ? "early" : "t";
    queue_.SubmitOne(spec);
  }
  queue_.Lease("2");
  const ListPage first = queue_.List({}, "", 2);
  EXPECT_THAT(Ids(first.tasks), ElementsAre("4", "3"));
  EXPECT_EQ(first.tasks[0].spec.payload, "");
  const ListPage second = queue_.List({}, first.next, 2);
  EXPECT_THAT(Ids(second.tasks), ElementsAre("2", "1"));
  const ListPage third = queue_.List({}, second.next, 2);
  EXPECT_THAT(Ids(third.tasks), ElementsAre("0"));
  EXPECT_EQ(third.next, "");
  EXPECT_EQ(queue_.List({}, "", 5).next, "");
  EXPECT_THAT(Ids(queue_.List({.run = "even"}).tasks), ElementsAre("4", "2", "0"));
  EXPECT_THAT(Ids(queue_.List({.tenant = "early"}).tasks), ElementsAre("1", "0"));
  EXPECT_THAT(Ids(queue_.List({.state = TaskState::kQueued, .tenant = "t", .run = "even"}).tasks), ElementsAre("4"));
  EXPECT_THAT(Ids(queue_.List({.state = TaskState::kRunning}).tasks), ElementsAre("2"));
  EXPECT_THAT(queue_.List({.run = "no such"}).tasks, IsEmpty());
}

TEST_P(QueueTest, APageOfAFilterIsFullThoughFewMatch) {
  for (int i = 0; i < 60; ++i) {
    TaskSpec spec = Spec(std::to_string(i));
    spec.tenant = i % 20 == 0 ? "rare" : "t";
    queue_.SubmitOne(spec);
  }
  const ListPage page = queue_.List({.tenant = "rare", .run = "r"}, "", 2);
  EXPECT_THAT(Ids(page.tasks), ElementsAre("40", "20"));
  EXPECT_THAT(Ids(queue_.List({.tenant = "rare", .run = "r"}, page.next, 2).tasks), ElementsAre("0"));
}

TEST_P(QueueTest, ListRefusesWhatIsNoPage) {
  const auto cursor = queue_.Await(queue_.queue().List({}, "yesterday", 10));
  ASSERT_FALSE(cursor);
  EXPECT_THAT(cursor.error().message, HasSubstr("cursor: 'yesterday'"));
  EXPECT_FALSE(queue_.Await(queue_.queue().List({}, "", 0)));
  EXPECT_FALSE(queue_.Await(queue_.queue().List({}, "", kLargestPage + 1)));
}

TEST_P(QueueTest, ForgetsWhatEndedLongAgo) {
  queue_.Submit({Spec("old"), Spec("new"), Spec("waiting")});
  queue_.Complete(HoldOf(*queue_.Lease("old")), "{}");
  clock_.Advance(2h);
  queue_.Cancel("new");
  EXPECT_EQ(queue_.Forget({.age = 1h}), 1);
  EXPECT_EQ(queue_.Find("old"), std::nullopt);
  EXPECT_TRUE(queue_.Find("new"));
  clock_.Advance(48h);
  EXPECT_EQ(queue_.Forget({.age = 1h}), 1);
  EXPECT_TRUE(queue_.Find("waiting"));
  const Accepted again = queue_.SubmitOne(Spec("old"));
  EXPECT_EQ(again.kind, Kind::kNew);
  EXPECT_EQ(again.task.sequence, 4u);
  EXPECT_THAT(Ids(queue_.List().tasks), ElementsAre("old", "waiting"));
}

TEST_P(QueueTest, ForgetsBeyondACount) {
  for (const std::string id : {"a", "b", "c", "d"}) {
    queue_.SubmitOne(Spec(id));
    clock_.Advance(1s);
    if (id != "d") queue_.Cancel(id);
  }
  EXPECT_EQ(queue_.Forget({.count = 1}), 2);
  EXPECT_THAT(Ids(queue_.List().tasks), ElementsAre("d", "c"));
  EXPECT_EQ(queue_.Stats().by_state[static_cast<int>(TaskState::kCancelled)], 1);
}

TEST_P(QueueTest, SubscribersHearOfEachChangeOnceAndInOrder) {
  queue_.Submit({Shared("a", "k"), Spec("b")});
  queue_.Cancel("b");
  std::vector<std::string> heard;
  bool begun = false;
  bool done = false;
  const auto hear = [&](const Changes& changes) {
    if (changes.reset) heard.push_back("reset");
    begun = true;
    for (const Task& task : changes.tasks) {
      EXPECT_EQ(task.spec.payload + task.result, "");
      heard.push_back(Concat(task.spec.id, " ", Name(task.state), task.stage.empty() ? "" : " ", task.stage));
      done = done || task.spec.id == "last";
    }
  };
  const std::unique_ptr<Subscription> subscription = queue_.queue().Watch(context_.get_executor(), hear);
  RunUntil(begun);
  queue_.SubmitOne(Shared("c", "k"));
  const Hold held = HoldOf(*queue_.Lease("a"));
  queue_.Extend({held}, "building");
  queue_.Complete(held, "{}");
  queue_.SubmitOne(Spec("last"));
  RunUntil(done);
  EXPECT_THAT(heard, ElementsAre("reset", "a queued", "c queued", "a running", "a running building", "a done", "c done",
                                 "last queued"));
}

TEST_P(QueueTest, AnEndedSubscriptionIsQuiet) {
  int calls = 0;
  const auto hear = [&](const Changes&) { ++calls; };
  std::unique_ptr<Subscription> subscription = queue_.queue().Watch(context_.get_executor(), hear);
  subscription.reset();
  queue_.SubmitOne(Spec("a"));
  context_.restart();
  context_.run();
  EXPECT_EQ(calls, 0);
}

TEST_P(QueueTest, IsTended) {
  queue_.Submit({Spec("lost"), Spec("old")});
  queue_.Cancel("old");
  queue_.Lease("lost");
  queue_.Expire();
  clock_.Advance(1h);
  bool back = false;
  const auto hear = [&](const Changes& changes) {
    for (const Task& task : changes.tasks) back = back || (task.spec.id == "lost" && task.state == TaskState::kQueued);
  };
  const std::unique_ptr<Subscription> subscription = queue_.queue().Watch(context_.get_executor(), hear);
  Spawn(context_.get_executor(), Tend(queue_.queue(), 1h, {.age = 1min}));
  RunUntil(back);
  while (queue_.Find("old")) {
    // Each look lets it go on.
  }
  EXPECT_TRUE(queue_.Find("lost"));
}

TEST_P(QueueTest, StatsCountWhatIsThereAndWhatHappened) {
  queue_.Submit({Spec("a"), Spec("b"), Spec("c"), Spec("d")});
  queue_.Complete(HoldOf(*queue_.Lease("a")), "{}");
  queue_.Lease("b");
  queue_.Cancel("c");
  Reopen();
  const QueueStats stats = queue_.Stats();
  EXPECT_THAT(stats.by_state, ElementsAre(1, 1, 1, 1, 0));
  EXPECT_THAT(stats.queued_by_priority, ElementsAre(0, 1, 0));
  EXPECT_EQ(stats.oldest_queued_ms, queue_.Get("d").submitted_ms);
}

TEST_P(QueueTest, ManyWorkersAtOnceNeverShareATask) {
  constexpr int kTasks = 200;
  constexpr int kWorkers = 4;
  std::vector<TaskSpec> specs;
  std::vector<Want> wants;
  for (int i = 0; i < kTasks; ++i) {
    specs.push_back(Spec(std::to_string(i)));
    wants.push_back({std::to_string(i), "lane"});
  }
  queue_.Submit(specs);
  std::vector<std::size_t> completed(kWorkers);
  std::vector<boost::asio::io_context> contexts(kWorkers);
  const auto work = [&](int number) {
    boost::asio::io_context& context = contexts[static_cast<std::size_t>(number)];
    const auto run = [&]() -> Awaitable<void> {
      const std::string worker = "w" + std::to_string(number);
      for (const Want& want : wants) {
        std::vector<Want> one = {want};
        const Result<std::vector<Task>> leased = co_await queue_.queue().Lease(worker, std::move(one), 10s);
        for (const Task& task : leased.value()) {
          Hold hold = HoldOf(task);
          const Result<Told> told = co_await queue_.queue().Complete(std::move(hold), "{}");
          if (told.value() == Told::kStored) ++completed[static_cast<std::size_t>(number)];
        }
      }
    };
    Spawn(context.get_executor(), run());
    context.run();
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kWorkers; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  std::size_t sum = 0;
  for (const std::size_t count : completed) sum += count;
  EXPECT_EQ(sum, std::size_t{kTasks});
  const QueueStats stats = queue_.Stats();
  EXPECT_EQ(stats.by_state[static_cast<int>(TaskState::kDone)], kTasks);
  EXPECT_EQ(stats.stale, 0);
  queue_.Use(nullptr);  // Before the contexts that its calls came from.
}

}  // namespace
}  // namespace kgym::service
