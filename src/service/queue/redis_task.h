// Tasks as they go to redis_queue.lua and come back from it: lists of values in the order of its SPEC and FIELDS.
//
// Threads: any.
#pragma once

#include <cstddef>

#include "service/queue/queue.h"
#include "service/queue/redis_connection.h"

namespace kgym::service {

/// Appended to `command`.
void AppendSpec(const TaskSpec& spec, RedisCommand& command);

/// The values from `first` on, `step` apart.
Result<Task> TaskOf(const RedisReply& values, std::size_t first = 0, std::size_t step = 1);

/// The values from `first` on, with payload and result behind them.
Result<Task> WholeTaskOf(const RedisReply& values, std::size_t first = 0);

}  // namespace kgym::service
