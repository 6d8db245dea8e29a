#include "service/schedule/follow.h"

#include <gtest/gtest.h>

namespace kgym::service {
namespace {

Task Queued(std::string id, std::uint64_t sequence) {
  Task task;
  task.spec.id = std::move(id);
  task.sequence = sequence;
  return task;
}

TEST(Follow, TasksComeGoAndComeBack) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({});
  Task a = Queued("a", 1), b = Queued("b", 2);
  Follow(backlog, a);
  Follow(backlog, b);
  EXPECT_EQ(backlog.size(), 2u);
  a.state = TaskState::kRunning;
  Follow(backlog, a);
  EXPECT_EQ(backlog.Next(pool)->id, "b");
  a.state = TaskState::kQueued;  // Its worker was lost.
  b.state = TaskState::kCancelled;
  Follow(backlog, a);
  Follow(backlog, b);
  EXPECT_EQ(backlog.size(), 1u);
  EXPECT_EQ(backlog.Next(pool)->id, "a");
}

TEST(Follow, AttachedTasksNeedNoLane) {
  Backlog backlog;
  Task copy = Queued("copy", 2);
  copy.attached_to = "original";
  Follow(backlog, Queued("original", 1));
  Follow(backlog, copy);
  EXPECT_EQ(backlog.size(), 1u);
  EXPECT_FALSE(backlog.Contains("copy"));
  copy.attached_to.clear();  // The original was cancelled: it works for itself now.
  Follow(backlog, copy);
  EXPECT_TRUE(backlog.Contains("copy"));
}

TEST(Follow, ARaisedPriorityCounts) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({});
  Task late = Queued("late", 2);
  Follow(backlog, Queued("early", 1));
  Follow(backlog, late);
  EXPECT_EQ(backlog.Next(pool)->id, "early");
  late.spec.priority = 2;
  Follow(backlog, late);
  EXPECT_EQ(backlog.Next(pool)->id, "late");
}

TEST(Follow, ClearingLeavesPools) {
  Backlog backlog;
  const PoolId pool = backlog.PoolFor({{"card", "H100"}});
  Follow(backlog, Queued("a", 1));
  backlog.Clear();
  EXPECT_EQ(backlog.size(), 0u);
  EXPECT_EQ(backlog.Next(pool), nullptr);
  EXPECT_EQ(backlog.PoolFor({{"card", "H100"}}), pool);  // Lanes know their pools by number.
}

TEST(Follow, EverythingTheScheduleNeedsIsTakenOver) {
  Task task = Queued("t", 7);
  task.spec.tenant = "tenant";
  task.spec.run = "run";
  task.spec.priority = 2;
  task.spec.labels = {{"card", "H100"}};
  task.spec.affinity = "problem";
  task.spec.expected_hold_s = 1.5;
  task.spec.deadline_ms = 99;
  task.submitted_ms = 11;
  const Waiting waiting = WaitingOf(task);
  EXPECT_EQ(waiting.tenant, "tenant");
  EXPECT_EQ(waiting.run, "run");
  EXPECT_EQ(waiting.priority, 2);
  EXPECT_EQ(waiting.labels, task.spec.labels);
  EXPECT_EQ(waiting.affinity, "problem");
  EXPECT_EQ(waiting.hold_s, 1.5);
  EXPECT_EQ(waiting.deadline_ms, 99);
  EXPECT_EQ(waiting.submitted_ms, 11);
  EXPECT_EQ(waiting.sequence, 7u);
}

}  // namespace
}  // namespace kgym::service
