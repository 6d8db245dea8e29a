#include "service/queue/unix_clock.h"

#include <chrono>

namespace kgym::service {
namespace {

std::int64_t DateMs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

UnixClock::UnixClock(const Clock& clock) : UnixClock(clock, DateMs()) {}

UnixClock::UnixClock(const Clock& clock, std::int64_t now_ms) : clock_(clock), start_(clock.Now()), start_ms_(now_ms) {}

std::int64_t UnixClock::NowMs() const {
  return start_ms_ + std::chrono::duration_cast<std::chrono::milliseconds>(clock_.Now() - start_).count();
}

}  // namespace kgym::service
