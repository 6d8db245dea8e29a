// The lanes of a simulation: what they run, which problems they are warm for, whether they are up.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "service/schedule/decide.h"
#include "service/schedule/simulator/scenario.h"

namespace kgym::service::simulator {

inline constexpr std::size_t kNoTask = static_cast<std::size_t>(-1);

class Lanes {
 public:
  Lanes(const Fleet& fleet, const std::function<PoolId(const Labels&)>& pool_for);

  std::size_t size() const { return views_.size(); }
  std::size_t machines() const { return machine_begin_.size() - 1; }
  std::size_t pools() const { return pools_.size(); }
  std::span<const LaneView> views() const { return views_; }

  PoolId pool(std::size_t lane) const { return views_[lane].pool; }
  const Labels& labels(PoolId pool) const { return pools_[pool].labels; }
  std::size_t task(std::size_t lane) const { return lanes_[lane].task; }
  /// Changes whenever the lane starts, ends or loses a task: what was planned before no longer holds.
  std::uint64_t generation(std::size_t lane) const { return lanes_[lane].generation; }
  bool up(std::size_t lane) const { return lanes_[lane].up; }
  std::pair<std::size_t, std::size_t> LanesOf(std::size_t machine) const {
    return {machine_begin_[machine], machine_begin_[machine + 1]};
  }
  int up_in(PoolId pool) const { return pools_[pool].up; }
  int busy_in(PoolId pool) const { return pools_[pool].busy; }

  /// The problem's reference host is the most recently used one afterwards.
  void Start(std::size_t lane, std::size_t task, std::uint64_t problem);
  /// The lane is free again; returns the task.
  std::size_t End(std::size_t lane);
  /// Down with all it had open, until Restore() at `until` or later. Returns the task that it ran, or kNoTask.
  std::size_t Fail(std::size_t lane, double until);
  /// Whether it is up now.
  bool Restore(std::size_t lane, double now);

 private:
  struct Lane {
    std::size_t task = kNoTask;
    std::uint64_t generation = 0;
    bool up = true;
    double down_until = 0;
    std::vector<std::uint64_t> open;  // Problems, most recently used last.
  };
  struct Pool {
    Labels labels;
    int up = 0, busy = 0;
  };

  std::size_t most_open_;
  std::vector<Lane> lanes_;
  std::vector<LaneView> views_;
  std::vector<Pool> pools_;
  std::vector<std::size_t> machine_begin_;  // Lanes of machine m: [m], [m + 1].
};

}  // namespace kgym::service::simulator
