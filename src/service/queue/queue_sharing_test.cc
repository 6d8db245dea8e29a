// Identical work that is done once for all who want it, on every queue.
#include "service/queue/each_queue.h"

namespace kgym::service {
namespace {

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

}  // namespace
}  // namespace kgym::service
