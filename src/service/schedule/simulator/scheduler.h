// What the simulator compares: the schedule of this floor, and first come first served.
//
// Threads: one at a time.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "service/schedule/decide.h"

namespace kgym::service::simulator {

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  virtual std::string_view name() const = 0;
  virtual PoolId PoolFor(const Labels& labels) = 0;
  virtual void Add(Waiting task) = 0;
  virtual Decisions Decide(std::span<const LaneView> lanes, std::int64_t now_ms) = 0;
  virtual void Settle(const Charge& charge, double held_s) = 0;
};

std::unique_ptr<Scheduler> FairScheduler(Policy policy = {});

/// The oldest task that a lane can run goes to the first free lane; what peers of this service do.
std::unique_ptr<Scheduler> FifoScheduler();

}  // namespace kgym::service::simulator
