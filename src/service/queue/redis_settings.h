// What a Redis must be set to, so that nothing it accepted is lost.
//
// Threads: that of the connection.
#pragma once

#include <string>

#include "service/queue/redis_connection.h"

namespace kgym::service {

/// An Error names the setting, what it is, and what to run. `allow_everysec` takes appendfsync everysec too, with a
/// warning in the log.
Status CheckRedisSettings(RedisConnection& connection, const RedisAddress& address, bool allow_everysec);

/// That all processes of this queue understand each other; the first that comes says which protocol they speak.
Status CheckRedisProtocol(RedisConnection& connection, const RedisAddress& address, const std::string& prefix);

}  // namespace kgym::service
