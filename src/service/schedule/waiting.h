// A task that waits, as far as the schedule cares.
//
// Times are unix milliseconds, as in the queue's records; holds are seconds.
//
// Threads: any; plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "service/schedule/labels.h"

namespace kgym::service {

struct Waiting {
  std::string id = {};
  std::string tenant = {};
  std::string run = {};
  int priority = 1;           // 0 low, 1 normal, 2 high.
  Labels labels = {};         // What a lane must have.
  std::string affinity = {};  // The problem; a lane whose reference host has it open is warm for it. Empty: none.
  double hold_s = 0;          // How long it is expected to hold its lane; 0: unknown.
  std::int64_t submitted_ms = 0;
  std::int64_t deadline_ms = 0;  // 0: none.
  std::uint64_t sequence = 0;    // Order of acceptance; unique.
};

/// A problem in a lane's list of warm ones. Two problems of one key cost a warm start, nothing else. Never 0.
inline std::uint64_t AffinityKey(std::string_view problem) { return std::hash<std::string_view>{}(problem) | 1; }

}  // namespace kgym::service
