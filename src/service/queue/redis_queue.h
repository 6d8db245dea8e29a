// The distributed queue: tasks in a Redis that any number of kgym processes share.
//
// Every transition is one Lua script, which Redis runs whole or not at all; each answer is sent once the append-only
// file is on its disk. One thread owns the connection: it sends all calls that came meanwhile at once and then reads
// all the answers, so that a round trip and a sync are shared by whoever waits for one. A Redis that went away is
// waited for and the calls are sent again; the script tells what was done before.
#pragma once

#include <memory>

#include "service/queue/queue.h"
#include "service/queue/redis_options.h"

namespace kgym::service {

/// An Error where it cannot be reached, or its settings would lose what it accepts.
Result<std::unique_ptr<Queue>> OpenRedisQueue(RedisOptions options);

}  // namespace kgym::service
