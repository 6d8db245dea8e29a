// What a worker and a server far from each other say about tasks, as JSON (docs/queue.md, "Over HTTP").
//
// Threads: any; pure functions.
#pragma once

#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "service/queue/queue.h"

namespace kgym::service {

/// Every field; payload and result where they are there. An error of reading names the field.
Json TaskJson(const Task& task);
Result<Task> ReadTask(const Json& json);

Json TasksJson(const std::vector<Task>& tasks);
Result<std::vector<Task>> ReadTasks(const Json& json);

Json HoldJson(const Hold& hold);
Result<Hold> ReadHold(const Json& json);
Json HoldsJson(const std::vector<Hold>& holds);
Result<std::vector<Hold>> ReadHolds(const Json& json);

std::string_view Name(Told told);  // "stored", "repeated", "stale", "refused".
Result<Told> ReadTold(const Json& json);

Json ChangesJson(const Changes& changes);
Result<Changes> ReadChanges(const Json& json);

}  // namespace kgym::service
