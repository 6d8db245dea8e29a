// A task from a store's row: every store keeps its columns in this order.
//
// Threads: any; pure.
#pragma once

#include "base/result.h"
#include "service/queue/labels.h"
#include "service/queue/task.h"

namespace kgym::service {

inline constexpr int kTaskColumns = 24;

/// `Values`: Int(), Double() and Text() give the next column. The task is without payload and result.
template <class Values>
Result<Task> ReadTaskRow(Values values) {
  Task task;
  task.sequence = static_cast<std::uint64_t>(values.Int());
  task.spec.id = values.Text();
  task.state = static_cast<TaskState>(values.Int());
  task.spec.tenant = values.Text();
  task.spec.run = values.Text();
  task.spec.priority = static_cast<int>(values.Int());
  task.spec.content_key = values.Text();
  KGYM_TRY(task.spec.labels, ParseLabels(values.Text()));
  task.spec.affinity = values.Text();
  task.spec.expected_hold_s = values.Double();
  task.spec.deadline_ms = values.Int();
  task.spec.max_attempts = static_cast<int>(values.Int());
  task.spec.dedup = values.Int() != 0;
  task.submitted_ms = values.Int();
  task.started_ms = values.Int();
  task.ended_ms = values.Int();
  task.attempt = static_cast<int>(values.Int());
  task.handed_back = static_cast<int>(values.Int());
  task.lease_ms = values.Int();
  task.worker = values.Text();
  task.lane = values.Text();
  task.stage = values.Text();
  task.reason = values.Text();
  task.attached_to = values.Text();
  return task;
}

}  // namespace kgym::service
