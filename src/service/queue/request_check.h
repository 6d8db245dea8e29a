// What a caller of the queue may pass. Every Error names the field, what was found and what is expected.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

#include "service/queue/queue.h"

namespace kgym::service {

inline constexpr int kLargestPage = 1000;  // Tasks a List gives at once.

Status CheckSpec(const TaskSpec& spec);
Status CheckLease(const std::string& worker, Duration lease);
Status CheckLimit(int limit);

/// A page holds tasks with a smaller sequence than its cursor.
Result<std::uint64_t> ParseCursor(const std::string& cursor);

}  // namespace kgym::service
