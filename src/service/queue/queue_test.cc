// What every queue does, whichever keeps it: each test runs on all of them.
#include "service/queue/queue.h"

#include <thread>

#include "service/queue/queue_fixture.h"
#include "service/queue/queue_places.h"
#include "service/queue/request_check.h"
#include "service/queue/tend.h"

namespace kgym::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = Accepted::Kind;

class QueueTest : public testing::TestWithParam<PlaceMaker> {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Place>> place = GetParam().make();
    if (!place) GTEST_SKIP() << place.error().message;
    place_ = std::move(*place);
    Reopen();
  }

  void Reopen(Bounds bounds = {}) {
    queue_.Use(nullptr);
    Result<std::unique_ptr<Queue>> opened = place_->Open(clock_, bounds);
    ASSERT_TRUE(opened) << opened.error().message;
    queue_.Use(std::move(*opened));
  }

  /// A second look of a queue that learns of leases by looking; time passes between.
  int ExpireAfter(Duration step) {
    queue_.Expire();
    clock_.Advance(step);
    return queue_.Expire();
  }

  void RunUntil(const bool& flag) {
    const auto guard = boost::asio::make_work_guard(context_);
    context_.restart();
    while (!flag) context_.run_one();
  }

  boost::asio::io_context context_;
  FakeClock clock_;
  std::unique_ptr<Place> place_;
  Driver queue_{context_};
};

TEST_P(QueueTest, KeepsEveryFieldOfASubmission) {
  const TaskSpec spec{.id = "a",
                      .tenant = "lab",
                      .run = "run 7",
                      .priority = 2,
                      .content_key = "key",
                      .labels = {{"card", "H100"}, {"quote", "\"'\\ü"}},
                      .affinity = "level1/softmax",
                      .expected_hold_s = 0.1,
                      .deadline_ms = 4'000'000'000'123,
                      .max_attempts = 5,
                      .dedup = false,
                      .payload = std::string("{\"zero\":\"\0\",\"line\":\"\r\n\"}", 25)};
  const Accepted accepted = queue_.SubmitOne(spec);
  EXPECT_EQ(accepted.kind, Kind::kNew);
  Reopen();
  const Task task = queue_.Get("a");
  EXPECT_EQ(task.state, TaskState::kQueued);
  EXPECT_EQ(task.spec.tenant, spec.tenant);
  EXPECT_EQ(task.spec.run, spec.run);
  EXPECT_EQ(task.spec.priority, spec.priority);
  EXPECT_EQ(task.spec.content_key, spec.content_key);
  EXPECT_EQ(task.spec.labels, spec.labels);
  EXPECT_EQ(task.spec.affinity, spec.affinity);
  EXPECT_EQ(task.spec.expected_hold_s, spec.expected_hold_s);
  EXPECT_EQ(task.spec.deadline_ms, spec.deadline_ms);
  EXPECT_EQ(task.spec.max_attempts, spec.max_attempts);
  EXPECT_EQ(task.spec.dedup, spec.dedup);
  EXPECT_EQ(task.spec.payload, spec.payload);
  EXPECT_EQ(task.sequence, accepted.task.sequence);
  EXPECT_EQ(task.submitted_ms, accepted.task.submitted_ms);
  EXPECT_GT(task.submitted_ms, 1'600'000'000'000);
  EXPECT_EQ(queue_.Find("b"), std::nullopt);
}

TEST_P(QueueTest, SubmittingAgainIsTheSameTask) {
  const Accepted first = queue_.SubmitOne(Spec("a"));
  TaskSpec again = Spec("a");
  again.priority = 2;
  again.deadline_ms = 4'000'000'000'000;
  const Accepted second = queue_.SubmitOne(again);
  EXPECT_EQ(second.kind, Kind::kSame);
  EXPECT_EQ(second.task.sequence, first.task.sequence);
  EXPECT_EQ(second.task.spec.priority, 1);

  queue_.Complete(HoldOf(*queue_.Lease("a")), "{\"ok\":1}");
  const Accepted third = queue_.SubmitOne(Spec("a"));
  EXPECT_EQ(third.kind, Kind::kSame);
  EXPECT_EQ(third.task.result, "{\"ok\":1}");
  EXPECT_EQ(queue_.Stats().accepted, 1);
}

TEST_P(QueueTest, OneIdWithOtherContentIsAConflict) {
  TaskSpec other = Spec("a");
  other.payload = "{}";
  TaskSpec elsewhere = Spec("a");
  elsewhere.labels["card"] = "H100";
  TaskSpec stranger = Spec("a");
  stranger.tenant = "u";
  const std::vector<Accepted> all = queue_.Submit({Spec("a"), other, elsewhere, stranger, Spec("a")});
  std::vector<Kind> kinds;
  for (const Accepted& accepted : all) kinds.push_back(accepted.kind);
  EXPECT_THAT(kinds, ElementsAre(Kind::kNew, Kind::kConflict, Kind::kConflict, Kind::kConflict, Kind::kSame));
  EXPECT_THAT(all[1].reason, HasSubstr("'a'"));
  EXPECT_EQ(queue_.Get("a").spec.payload, Spec("a").payload);
}

TEST_P(QueueTest, AnInvalidSpecStoresNothing) {
  TaskSpec bad = Spec("b");
  bad.priority = 3;
  const auto answer = queue_.Await(queue_.queue().Submit({Spec("a"), bad}));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("task 'b': priority: 3"));
  EXPECT_EQ(queue_.Find("a"), std::nullopt);
}

TEST_P(QueueTest, ALeaseIsGrantedOnce) {
  queue_.Submit({Spec("a"), Spec("b")});
  const std::vector<Task> leased =
      *queue_.Await(queue_.queue().Lease("w1", {{"a", "gpu0"}, {"no such", "gpu1"}, {"b", "gpu2"}}, 10s));
  ASSERT_THAT(Ids(leased), ElementsAre("a", "b"));
  EXPECT_EQ(leased[0].spec.payload, Spec("a").payload);
  EXPECT_EQ(leased[1].lane, "gpu2");
  EXPECT_EQ(leased[0].attempt, 1);
  EXPECT_EQ(queue_.Lease("a", "w2"), std::nullopt);
  const Task task = queue_.Get("a");
  EXPECT_EQ(task.state, TaskState::kRunning);
  EXPECT_EQ(task.worker, "w1");
  EXPECT_EQ(task.lane, "gpu0");
  EXPECT_EQ(task.lease_ms, 10'000);
  EXPECT_GE(task.started_ms, task.submitted_ms);
}

TEST_P(QueueTest, LeaseNeedsAWorkerAndATime) {
  EXPECT_FALSE(queue_.Await(queue_.queue().Lease("", {}, 10s)));
  EXPECT_FALSE(queue_.Await(queue_.queue().Lease("w", {}, 0s)));
}

TEST_P(QueueTest, ExtendTellsProgressAndWhatIsLost) {
  queue_.Submit({Spec("a"), Spec("b")});
  const Hold held = HoldOf(*queue_.Lease("a"));
  const Hold stranger{.worker = "x", .id = "a", .attempt = 1};
  const Hold queued{.worker = "w", .id = "b", .attempt = 0};
  const Hold unknown{.worker = "w", .id = "c", .attempt = 1};
  const std::vector<Hold> lost = queue_.Extend({held, stranger, queued, unknown}, "checking");
  std::vector<std::string> names;
  for (const Hold& hold : lost) names.push_back(hold.worker + hold.id);
  EXPECT_THAT(names, ElementsAre("xa", "wb", "wc"));
  EXPECT_EQ(queue_.Get("a").stage, "checking");
  queue_.Extend({held});
  EXPECT_EQ(queue_.Get("a").stage, "checking");
}

TEST_P(QueueTest, AResultIsStoredExactlyOnce) {
  queue_.SubmitOne(Spec("a"));
  const Hold held = HoldOf(*queue_.Lease("a"));
  const Hold other{.worker = "x", .id = "a", .attempt = 1};
  const Hold later{.worker = "w", .id = "a", .attempt = 2};
  EXPECT_EQ(queue_.Complete(other, "{}"), Told::kStale);
  EXPECT_EQ(queue_.Complete(later, "{}"), Told::kStale);
  EXPECT_EQ(queue_.Complete(held, "{\"first\":1}"), Told::kStored);
  EXPECT_EQ(queue_.Complete(held, "{\"second\":1}"), Told::kRepeated);
  EXPECT_EQ(queue_.Complete(other, "{}"), Told::kStale);
  EXPECT_EQ(queue_.Fail(held, "late"), Told::kStale);
  EXPECT_EQ(queue_.HandBack(held), Told::kStale);
  EXPECT_EQ(queue_.Complete({.worker = "w", .id = "unknown", .attempt = 1}, "{}"), Told::kStale);
  const Task task = queue_.Get("a");
  EXPECT_EQ(task.state, TaskState::kDone);
  EXPECT_EQ(task.result, "{\"first\":1}");
  EXPECT_GE(task.ended_ms, task.started_ms);
  EXPECT_EQ(queue_.Stats().stale, 6);
  EXPECT_EQ(queue_.Lease("a"), std::nullopt);
}

TEST_P(QueueTest, HandingBackCountsNoAttempt) {
  TaskSpec spec = Spec("a");
  spec.max_attempts = 1;
  queue_.SubmitOne(spec);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const std::optional<Task> task = queue_.Lease("a");
    ASSERT_TRUE(task);
    EXPECT_EQ(task->attempt, attempt);
    EXPECT_EQ(queue_.HandBack(HoldOf(*task)), Told::kStored);
    EXPECT_EQ(queue_.HandBack(HoldOf(*task)), Told::kRepeated);
    EXPECT_EQ(queue_.Get("a").handed_back, attempt);
  }
  const Task task = *queue_.Lease("a");
  EXPECT_EQ(queue_.Complete(HoldOf(task), "{}"), Told::kStored);
}

TEST_P(QueueTest, FailuresUseUpTheAttempts) {
  TaskSpec spec = Spec("a");
  spec.max_attempts = 2;
  queue_.SubmitOne(spec);
  EXPECT_EQ(queue_.Fail(HoldOf(*queue_.Lease("a")), "the lane died"), Told::kStored);
  EXPECT_EQ(queue_.Get("a").state, TaskState::kQueued);
  EXPECT_EQ(queue_.Get("a").reason, "the lane died");
  const Hold second = HoldOf(*queue_.Lease("a"));
  EXPECT_EQ(queue_.Fail(second, "the card fell off"), Told::kStored);
  EXPECT_EQ(queue_.Fail(second, "the card fell off"), Told::kRepeated);
  const Task task = queue_.Get("a");
  EXPECT_EQ(task.state, TaskState::kDead);
  EXPECT_EQ(task.reason, "2 of 2 attempts failed; the last: the card fell off");
  EXPECT_EQ(queue_.Lease("a"), std::nullopt);
  EXPECT_EQ(queue_.Stats().redelivered, 1);
}

TEST_P(QueueTest, ALeaseThatIsNotExtendedIsLost) {
  queue_.Submit({Spec("a"), Spec("b")});
  const Hold silent = HoldOf(*queue_.Lease("a", "w1"));
  const Hold alive = HoldOf(*queue_.Lease("b", "w2"));
  EXPECT_EQ(queue_.Expire(), 0);
  for (int i = 0; i < 2; ++i) {
    clock_.Advance(6s);
    EXPECT_THAT(queue_.Extend({alive}), IsEmpty());
    EXPECT_EQ(queue_.Expire(), i);  // 12 s after it was leased, the silent one is lost.
  }
  const Task task = queue_.Get("a");
  EXPECT_EQ(task.state, TaskState::kQueued);
  EXPECT_THAT(task.reason, HasSubstr("worker w1 on lane lane0 was not heard of for 10 s"));
  EXPECT_EQ(queue_.Get("b").state, TaskState::kRunning);

  // Somebody else does it; the first worker was only slow, and is told.
  const Hold second = HoldOf(*queue_.Lease("a", "w1"));
  EXPECT_EQ(queue_.Complete(silent, "{\"slow\":1}"), Told::kStale);
  EXPECT_EQ(queue_.Extend({silent}).size(), 1u);
  EXPECT_EQ(queue_.Complete(second, "{\"quick\":1}"), Told::kStored);
  EXPECT_EQ(queue_.Get("a").result, "{\"quick\":1}");
}

TEST_P(QueueTest, LostLeasesUseUpTheAttempts) {
  TaskSpec spec = Spec("a");
  spec.max_attempts = 2;
  queue_.SubmitOne(spec);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(queue_.Lease("a", "w9"));
    EXPECT_EQ(ExpireAfter(11s), 1);
  }
  EXPECT_EQ(queue_.Get("a").state, TaskState::kDead);
  EXPECT_THAT(queue_.Get("a").reason, HasSubstr("2 of 2 attempts failed; the last: worker w9"));
}

TEST_P(QueueTest, AClockThatGoesBackLosesNoLease) {
  queue_.SubmitOne(Spec("a"));
  const Hold held = HoldOf(*queue_.Lease("a"));
  queue_.Expire();
  clock_.Advance(-1h);
  EXPECT_EQ(queue_.Expire(), 0);
  EXPECT_EQ(queue_.Complete(held, "{}"), Told::kStored);
}

TEST_P(QueueTest, LeasesStartAnewWhenTheQueueIsOpenedAgain) {
  queue_.SubmitOne(Spec("a"));
  const Hold held = HoldOf(*queue_.Lease("a"));
  queue_.Expire();
  clock_.Advance(9s);
  Reopen();
  queue_.Expire();
  clock_.Advance(9s);
  EXPECT_EQ(queue_.Expire(), 0);
  EXPECT_THAT(queue_.Extend({held}), IsEmpty());
  EXPECT_EQ(ExpireAfter(11s), 1);
  EXPECT_EQ(queue_.Get("a").state, TaskState::kQueued);
}

TEST_P(QueueTest, WhatIsPastItsDeadlineIsDead) {
  TaskSpec waiting = Spec("waiting");
  TaskSpec running = Spec("running");
  const std::int64_t now_ms = queue_.SubmitOne(Spec("x")).task.submitted_ms;
  TaskSpec choosy = Spec("choosy");
  choosy.labels = {{"device", "cuda"}, {"backend", "cutlass"}};
  choosy.deadline_ms = now_ms + 60'000;
  waiting.deadline_ms = running.deadline_ms = now_ms + 60'000;
  queue_.Submit({waiting, running, choosy, Spec("patient")});
  const Hold held = HoldOf(*queue_.Lease("running", "w", 1h));
  EXPECT_EQ(queue_.Expire(), 0);
  clock_.Advance(61s);
  EXPECT_EQ(queue_.Lease("waiting"), std::nullopt);
  EXPECT_EQ(queue_.Expire(), 3);
  EXPECT_EQ(queue_.Get("waiting").reason, "its deadline passed while it waited, after 0 attempts");
  EXPECT_EQ(
      queue_.Get("choosy").reason,
      R"(its deadline passed while it waited for a lane with {"backend":"cutlass","device":"cuda"}, after 0 attempts)");
  EXPECT_EQ(queue_.Get("running").reason, "its deadline passed in attempt 1");
  EXPECT_EQ(queue_.Get("running").state, TaskState::kDead);
  EXPECT_EQ(queue_.Get("patient").state, TaskState::kQueued);
  EXPECT_EQ(queue_.Complete(held, "{}"), Told::kStale);
}

TEST_P(QueueTest, CancelEndsWhatWaitsAndWhatRuns) {
  queue_.Submit({Spec("waiting"), Spec("running"), Spec("done")});
  const Hold held = HoldOf(*queue_.Lease("running"));
  queue_.Complete(HoldOf(*queue_.Lease("done")), "{\"ok\":1}");
  EXPECT_EQ(queue_.Cancel("waiting")->state, TaskState::kCancelled);
  EXPECT_EQ(queue_.Cancel("running")->state, TaskState::kCancelled);
  const std::optional<Task> done = queue_.Cancel("done");
  EXPECT_EQ(done->state, TaskState::kDone);
  EXPECT_EQ(done->result, "{\"ok\":1}");
  EXPECT_EQ(queue_.Cancel("no such"), std::nullopt);
  EXPECT_EQ(queue_.Lease("waiting"), std::nullopt);
  EXPECT_EQ(queue_.Extend({held}).size(), 1u);
  EXPECT_EQ(queue_.Complete(held, "{}"), Told::kStale);
  EXPECT_EQ(queue_.Get("running").result, "");
  EXPECT_EQ(queue_.Cancel("running")->state, TaskState::kCancelled);
}

TEST_P(QueueTest, IdenticalWorkIsDoneOnce) {
  queue_.Submit({Shared("a", "k"), Shared("b", "k"), Spec("c")});
  EXPECT_EQ(queue_.Get("b").attached_to, "a");
  EXPECT_EQ(queue_.Lease("b"), std::nullopt);
  EXPECT_EQ(queue_.Stats().attached, 1);
  const Hold held = HoldOf(*queue_.Lease("a"));
  EXPECT_EQ(queue_.SubmitOne(Shared("late", "k")).task.attached_to, "a");
  queue_.Complete(held, "{\"ok\":1}");
  for (const std::string id : {"a", "b", "late"}) {
    EXPECT_EQ(queue_.Get(id).state, TaskState::kDone) << id;
    EXPECT_EQ(queue_.Get(id).result, "{\"ok\":1}") << id;
  }
  EXPECT_EQ(queue_.Get("c").state, TaskState::kQueued);
  EXPECT_EQ(queue_.Stats().attached, 0);
  EXPECT_EQ(queue_.SubmitOne(Shared("next", "k")).task.attached_to, "");  // Only work in flight is shared.
}

TEST_P(QueueTest, WorkIsSharedOnlyWhereItMayBe) {
  TaskSpec alone = Shared("alone", "k");
  alone.dedup = false;
  TaskSpec stranger = Shared("stranger", "k");
  stranger.tenant = "u";
  TaskSpec elsewhere = Shared("elsewhere", "k");
  elsewhere.labels["card"] = "H100";
  for (const Accepted& accepted :
       queue_.Submit({alone, Shared("a", "k"), stranger, elsewhere, Shared("other", "k2"), Spec("none")})) {
    EXPECT_EQ(accepted.task.attached_to, "") << accepted.task.spec.id;
  }
}

TEST_P(QueueTest, SharedWorkIsAsUrgentAsTheMostUrgent) {
  TaskSpec urgent = Shared("b", "k");
  urgent.priority = 2;
  queue_.Submit({Shared("a", "k"), urgent});
  EXPECT_EQ(queue_.Get("a").spec.priority, 2);
  EXPECT_EQ(queue_.Stats().queued_by_priority[2], 2);
}

TEST_P(QueueTest, AfterACancelTheNextDoesTheWork) {
  TaskSpec urgent = Shared("c", "k");
  urgent.priority = 2;
  queue_.Submit({Shared("a", "k"), Shared("b", "k"), urgent, Shared("d", "k")});
  queue_.Lease("a");
  queue_.Cancel("d");
  queue_.Cancel("a");
  EXPECT_EQ(queue_.Get("b").attached_to, "");
  EXPECT_EQ(queue_.Get("b").spec.priority, 2);
  EXPECT_EQ(queue_.Get("c").attached_to, "b");
  EXPECT_EQ(queue_.SubmitOne(Shared("e", "k")).task.attached_to, "b");
  queue_.Complete(HoldOf(*queue_.Lease("b")), "{}");
  EXPECT_EQ(queue_.Get("c").state, TaskState::kDone);
  EXPECT_EQ(queue_.Get("e").state, TaskState::kDone);
  EXPECT_EQ(queue_.Get("d").state, TaskState::kCancelled);
}

TEST_P(QueueTest, ADeadlineIsItsOwnTasksAlone) {
  TaskSpec hasty = Shared("a", "k");
  hasty.deadline_ms = queue_.SubmitOne(Spec("x")).task.submitted_ms + 60'000;
  queue_.Submit({hasty, Shared("b", "k")});
  clock_.Advance(2min);
  EXPECT_EQ(queue_.Expire(), 1);
  EXPECT_EQ(queue_.Get("a").state, TaskState::kDead);
  EXPECT_TRUE(queue_.Lease("b"));
}

TEST_P(QueueTest, WorkThatKillsIsNotTriedAgainByItsTwins) {
  TaskSpec spec = Shared("a", "k");
  spec.max_attempts = 1;
  queue_.Submit({spec, Shared("b", "k")});
  queue_.Fail(HoldOf(*queue_.Lease("a")), "the lane died");
  EXPECT_EQ(queue_.Get("b").state, TaskState::kDead);
  EXPECT_EQ(queue_.Get("b").reason,
            "identical work, task 'a', is dead: 1 of 1 attempts failed; the last: the lane died");
}

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

INSTANTIATE_TEST_SUITE_P(All, QueueTest, testing::ValuesIn(PlaceMakers()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kgym::service
