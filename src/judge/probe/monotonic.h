// The clock of the timed loops.
//
// Threads: any.
#pragma once

#include <time.h>

namespace kgym::judge::probe {

/// Nanoseconds of CLOCK_MONOTONIC.
inline long long NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

}  // namespace kgym::judge::probe
