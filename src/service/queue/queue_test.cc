// The life of a task, on every queue: accepted, leased, ended or given up.
#include "service/queue/queue.h"

#include "service/queue/each_queue.h"

namespace kgym::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = Accepted::Kind;

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

INSTANTIATE_TEST_SUITE_P(All, QueueTest, testing::ValuesIn(PlaceMakers()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kgym::service
