// How much the queue takes in, and when to come back where it is full.
//
// Threads: Bounds is a plain value; a RateMeter is used by one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "base/clock.h"

namespace kgym::service {

struct Bounds {
  std::int64_t queued = 200'000;       // Tasks that wait, all tenants together.
  std::int64_t queued_per_tenant = 0;  // Tasks of one tenant that wait; 0: no bound of its own.
};

/// How many a second, over the last minute.
class RateMeter {
 public:
  void Count(std::int64_t number, Instant now);
  double PerSecond(Instant now);

 private:
  struct Slot {
    Instant start;
    std::int64_t number;
  };
  void Trim(Instant now);

  std::deque<Slot> slots_;  // A second each; only those in which something was counted.
};

/// When a hundredth of the bound will be free at this rate; between 1 and 60 seconds.
Duration RetryAfter(std::int64_t bound, double ended_per_second);

/// The sentence that goes with it.
std::string FullReason(const Bounds& bounds, bool tenant_is_full, const std::string& tenant);

}  // namespace kgym::service
