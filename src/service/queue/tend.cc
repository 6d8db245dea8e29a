#include "service/queue/tend.h"

#include "base/log.h"
#include "base/text.h"

namespace kgym::service {
namespace {

Awaitable<Status> TendOnce(Queue& queue, Retention retention) {
  KGYM_CO_TRY(const int lost, co_await queue.ExpireLeases());
  if (lost > 0) LogInfo(Concat("queue: ", lost, " tasks lost their lease or passed their deadline"));
  KGYM_CO_TRY_VOID(co_await queue.Forget(retention));
  co_return Ok();
}

}  // namespace

Awaitable<void> Tend(Queue& queue, Duration every, Retention retention) {
  std::string told;
  while (true) {
    const Status done = co_await TendOnce(queue, retention);
    if (!done && done.error().message != told) LogError(Concat("queue: ", done.error().message));
    told = done ? "" : done.error().message;
    co_await SleepFor(every);
  }
}

}  // namespace kgym::service
