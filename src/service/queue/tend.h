// What keeps a queue in order while a service runs.
#pragma once

#include "service/queue/queue.h"

namespace kgym::service {

/// Every so often takes back lost leases, ends what is past its deadline and forgets what is old; until cancelled. What
/// fails is logged once, and tried again. Any process of a distributed queue may do it, and all of them may.
Awaitable<void> Tend(Queue& queue, Duration every, Retention retention);

}  // namespace kgym::service
