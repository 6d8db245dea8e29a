#include "service/queue/redis_settings.h"

#include "base/log.h"
#include "base/text.h"
#include "service/queue/roster.h"

namespace kgym::service {
namespace {

Result<std::string> Setting(RedisConnection& connection, const std::string& name) {
  Result<RedisAnswer> answer = connection.Ask({"CONFIG", "GET", name});
  if (!answer) {
    return Within("its settings cannot be read, which say whether what it accepts is kept (allow this user CONFIG|GET)",
                  answer.error());
  }
  const RedisReply reply(answer->get());
  return reply.size() == 2 ? reply[1].Text() : std::string();
}

Error Wrong(const RedisAddress& address, std::string_view name, std::string_view value, std::string_view expected,
            std::string_view else_what) {
  return Error{Concat(address.Text(), ": ", name, " is '", value, "'; '", expected, "' is expected, ", else_what,
                      ". Run CONFIG SET ", name, " ", expected, ", and set it in redis.conf")};
}

}  // namespace

Status CheckRedisSettings(RedisConnection& connection, const RedisAddress& address, bool allow_everysec) {
  KGYM_TRY(const std::string append_only, Setting(connection, "appendonly"));
  if (append_only != "yes") {
    return Wrong(address, "appendonly", append_only, "yes", "or all that was accepted ends with its process");
  }
  KGYM_TRY(const std::string policy, Setting(connection, "maxmemory-policy"));
  if (policy != "noeviction") {
    return Wrong(address, "maxmemory-policy", policy, "noeviction", "or tasks are dropped when memory is short");
  }
  KGYM_TRY(const std::string sync, Setting(connection, "appendfsync"));
  if (sync == "always") return Ok();
  if (sync != "everysec" || !allow_everysec) {
    return Wrong(address, "appendfsync", sync, "always", "or the latest that were accepted are lost in a crash");
  }
  LogWarning(Concat(address.Text(), ": appendfsync is everysec: a crash may lose the last seconds' tasks and results"));
  return Ok();
}

Status CheckRedisProtocol(RedisConnection& connection, const RedisAddress& address, const std::string& prefix) {
  const std::string key = prefix + "protocol", ours = std::to_string(kProtocol);
  KGYM_TRY_VOID(connection.Ask({"SET", key, ours, "NX"}));
  KGYM_TRY(const RedisAnswer answer, connection.Ask({"GET", key}));
  const std::string found = RedisReply(answer.get()).Text();
  if (found == ours) return Ok();
  return Error{Concat(address.Text(), ": the queue there speaks protocol ", found, ", this kgym protocol ", ours,
                      "; use a kgym of the same major version, or another database")};
}

}  // namespace kgym::service
