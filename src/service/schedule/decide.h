// The schedule: which waiting task goes to which lane, now.
//
// A function of its arguments: it reads no clock and has no effect beyond taking what it decided out of the backlog, so
// the same backlog, lanes and moment always give the same decisions. Lanes that can do least are filled first, so that
// what runs anywhere does not sit on the only card that something else needs. It is work-conserving: afterwards no task
// waits that a free lane could run. It never keeps a lane free for something that may come.
//
// Threads: that of the backlog.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "service/schedule/backlog.h"

namespace kgym::service {

/// A lane as the schedule sees it. `slots` are evaluations that may share it, `free` those that would start at once.
struct LaneView {
  PoolId pool = 0;  // Backlog::PoolFor(its labels).
  int slots = 1;
  int free = 1;                          // 0 for a lane that drains or is quarantined.
  std::vector<std::uint64_t> warm = {};  // AffinityKey() of each problem whose reference host is open; ascending.
};

struct Decision {
  std::string task;
  std::size_t lane = 0;  // Its place in the span.
  bool warm = false;
  Charge charge;  // For Backlog::Settle() when the lane is given back.
};

struct Decisions {
  std::vector<Decision> assigned;    // In the order in which they were decided.
  std::vector<std::string> expired;  // Deadline passed while waiting; taken out of the backlog.
};

Decisions Decide(Backlog& backlog, std::span<const LaneView> lanes, std::int64_t now_ms);

}  // namespace kgym::service
