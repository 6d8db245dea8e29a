// What happens to one task at each step of its life. Plain functions of a task; storing it is the caller's.
//
// Threads: any.
#pragma once

#include <string>

#include "service/queue/queue.h"

namespace kgym::service {

bool Leasable(const Task& task, std::int64_t now_ms);
void Begin(Task& task, const std::string& worker, const std::string& lane, Duration lease, std::int64_t now_ms);

bool HeldBy(const Task& task, const Hold& hold);  // Now.
bool LastHeldBy(const Task& task, const Hold& hold);

/// Back to queued, as if it had not been tried.
void GiveBack(Task& task);

/// Back to queued or, where its attempts are used up, dead.
void Lose(Task& task, const std::string& reason, std::int64_t now_ms);

void End(Task& task, TaskState state, const std::string& reason, std::int64_t now_ms);

std::string ConflictReason(const std::string& id);
std::string LostLeaseReason(const Task& task);
std::string DeadlineReason(const Task& task);
/// Of a task that was attached to one that died.
std::string SharedFateReason(const Task& dead);

}  // namespace kgym::service
