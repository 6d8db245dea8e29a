#include "service/schedule/follow.h"

namespace kgym::service {

Waiting WaitingOf(const Task& task) {
  const TaskSpec& spec = task.spec;
  return {.id = spec.id,
          .tenant = spec.tenant,
          .run = spec.run,
          .priority = spec.priority,
          .labels = spec.labels,
          .affinity = spec.affinity,
          .hold_s = spec.expected_hold_s,
          .submitted_ms = task.submitted_ms,
          .deadline_ms = spec.deadline_ms,
          .sequence = task.sequence};
}

void Follow(Backlog& backlog, const Task& task, const std::function<std::optional<Waiting>(const Task&)>& pick) {
  backlog.Remove(task.spec.id);  // It may be as before, or of another priority.
  if (task.state != TaskState::kQueued || !task.attached_to.empty()) return;
  if (std::optional<Waiting> waiting = pick(task)) backlog.Add(*std::move(waiting));
}

}  // namespace kgym::service
