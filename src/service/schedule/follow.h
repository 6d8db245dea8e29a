// Keeps a backlog as the queue is: what Queue::Watch() tells of a task, applied. At a reset: Backlog::Clear() first.
//
// A dispatcher watches the queue with this, decides, and leases what was decided; what it could not lease any more is
// none of its business, and what it loses again the queue tells as queued once more.
//
// Threads: that of the backlog.
#pragma once

#include <functional>
#include <optional>

#include "service/queue/task.h"
#include "service/schedule/backlog.h"

namespace kgym::service {

Waiting WaitingOf(const Task& task);

/// Afterwards the task waits in `backlog` if it is queued and needs a lane of its own, and `pick` has a use for it.
void Follow(Backlog& backlog, const Task& task,
            const std::function<std::optional<Waiting>(const Task&)>& pick = WaitingOf);

}  // namespace kgym::service
