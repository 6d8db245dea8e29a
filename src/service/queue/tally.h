// How many tasks there are of each kind, kept up with each transition, so that nobody has to count.
//
// Threads: a plain value.
#pragma once

#include <string>
#include <unordered_map>

#include "service/queue/queue.h"

namespace kgym::service {

struct Tally {
  std::array<std::int64_t, kTaskStates> by_state{};
  std::array<std::int64_t, kPriorities> queued_by_priority{};
  std::unordered_map<std::string, std::int64_t> queued_by_tenant;
  std::int64_t attached = 0;

  void Add(const Task& task) { Count(task, 1); }
  void Remove(const Task& task) { Count(task, -1); }
  std::int64_t queued() const { return by_state[static_cast<std::size_t>(TaskState::kQueued)]; }
  std::int64_t queued_of(const std::string& tenant) const;
  std::int64_t ended() const;

 private:
  void Count(const Task& task, std::int64_t by);
};

}  // namespace kgym::service
