// The clock behind an interface, so that decisions about time are tested without waiting.
//
// An Instant is a point on the machine's monotonic clock (CLOCK_MONOTONIC): comparable within one machine's uptime,
// also between processes, never written to disk. For a date in a record there is WallTime().
//
// Threads: Now() may be called from any thread; FakeClock may be moved from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "base/duration.h"

namespace kgym {

using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant Now() const = 0;
};

class MonotonicClock final : public Clock {
 public:
  Instant Now() const override { return std::chrono::steady_clock::now(); }
};

/// Stands still until it is told to move; may go backwards.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Instant start = Instant(1s)) : now_(start.time_since_epoch().count()) {}

  Instant Now() const override { return Instant(Duration(now_.load())); }
  void Advance(Duration step) { now_ += step.count(); }
  void Set(Instant now) { now_ = now.time_since_epoch().count(); }

 private:
  std::atomic<Duration::rep> now_;
};

/// "2026-01-31T12:00:00.123Z": UTC with milliseconds, for records.
std::string WallTime(std::chrono::system_clock::time_point time = std::chrono::system_clock::now());

}  // namespace kgym
