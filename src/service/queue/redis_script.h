// The text of redis_queue.lua, which the build puts into the program.
#pragma once

namespace kgym::service {

extern const char kRedisScript[];

}  // namespace kgym::service
