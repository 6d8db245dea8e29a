#include "service/queue/transition.h"

#include "base/text.h"
#include "service/queue/labels.h"

namespace kgym::service {

bool Leasable(const Task& task, std::int64_t now_ms) {
  const bool in_time = task.spec.deadline_ms == 0 || task.spec.deadline_ms > now_ms;
  return task.state == TaskState::kQueued && task.attached_to.empty() && in_time;
}

void Begin(Task& task, const std::string& worker, const std::string& lane, Duration lease, std::int64_t now_ms) {
  task.state = TaskState::kRunning;
  task.started_ms = now_ms;
  ++task.attempt;
  task.lease_ms = std::chrono::duration_cast<std::chrono::milliseconds>(lease).count();
  task.worker = worker;
  task.lane = lane;
  task.stage.clear();
}

bool HeldBy(const Task& task, const Hold& hold) { return task.state == TaskState::kRunning && LastHeldBy(task, hold); }

bool LastHeldBy(const Task& task, const Hold& hold) {
  return task.attempt == hold.attempt && task.worker == hold.worker && task.attached_to.empty();
}

void GiveBack(Task& task) {
  task.state = TaskState::kQueued;
  ++task.handed_back;
  task.stage.clear();
}

void Lose(Task& task, const std::string& reason, std::int64_t now_ms) {
  const int counted = task.attempt - task.handed_back;
  if (counted >= task.spec.max_attempts) {
    End(task, TaskState::kDead, Concat(counted, " of ", task.spec.max_attempts, " attempts failed; the last: ", reason),
        now_ms);
    return;
  }
  task.state = TaskState::kQueued;
  task.reason = reason;
  task.stage.clear();
}

void End(Task& task, TaskState state, const std::string& reason, std::int64_t now_ms) {
  task.state = state;
  task.ended_ms = now_ms;
  task.reason = reason;
  task.stage.clear();
}

std::string ConflictReason(const std::string& id) {
  return Concat("task '", id, "' is known with other content; submit this under another id");
}

std::string LostLeaseReason(const Task& task) {
  return Concat("worker ", task.worker, " on lane ", task.lane, " was not heard of for ",
                static_cast<double>(task.lease_ms) / 1000, " s");
}

std::string DeadlineReason(const Task& task) {
  if (task.state == TaskState::kRunning) return Concat("its deadline passed in attempt ", task.attempt);
  const std::string lane = task.spec.labels.empty() ? "" : Concat(" for a lane with ", LabelsText(task.spec.labels));
  return Concat("its deadline passed while it waited", lane, ", after ", task.attempt, " attempts");
}

std::string SharedFateReason(const Task& dead) {
  return Concat("identical work, task '", dead.spec.id, "', is dead: ", dead.reason);
}

}  // namespace kgym::service
