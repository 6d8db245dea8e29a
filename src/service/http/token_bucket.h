// A token bucket: `per_second` on average, `burst` at once.
//
// Threads: one at a time. Time is the caller's, so that tests need not wait.
#pragma once

#include <algorithm>
#include <optional>

#include "base/clock.h"

namespace kgym::http {

class TokenBucket {
 public:
  TokenBucket(double per_second, double burst, Instant now)
      : per_second_(per_second), burst_(burst), level_(burst), at_(now) {}

  /// Takes one; where none is there, how long until there is.
  std::optional<Duration> Take(Instant now) {
    level_ = std::min(burst_, level_ + per_second_ * std::max(0.0, ToSeconds(now - at_)));
    at_ = now;
    if (level_ >= 1) {
      level_ -= 1;
      return std::nullopt;
    }
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>((1 - level_) / per_second_));
  }

 private:
  double per_second_;
  double burst_;
  double level_;
  Instant at_;
};

}  // namespace kgym::http
