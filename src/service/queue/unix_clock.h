// Unix time that never steps: the wall clock as it was when this was made, plus what the monotonic clock counted since.
//
// So a deadline or the length of a run means the same however the machine's date is set meanwhile.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace kgym::service {

class UnixClock {
 public:
  explicit UnixClock(const Clock& clock);              // `clock` must outlive it.
  UnixClock(const Clock& clock, std::int64_t now_ms);  // The date is `now_ms` now.

  std::int64_t NowMs() const;

 private:
  const Clock& clock_;
  Instant start_;
  std::int64_t start_ms_;
};

}  // namespace kgym::service
