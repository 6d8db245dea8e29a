// The roster of a distributed queue: kept in its Redis, a hash for each member.
//
// Threads: calls from one executor; the answer comes back on it. What they come from must outlive the roster.
#pragma once

#include <memory>

#include "service/queue/redis_options.h"
#include "service/queue/roster.h"

namespace kgym::service {

/// An Error where it cannot be reached, or its settings would lose what it accepts.
Result<std::unique_ptr<Roster>> OpenRedisRoster(RedisOptions options);

}  // namespace kgym::service
