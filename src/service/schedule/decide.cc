#include "service/schedule/decide.h"

#include <algorithm>
#include <utility>

namespace kgym::service {
namespace {

/// A lane with room, during one call.
struct Open {
  std::size_t index;
  const LaneView* lane;
  int free;

  double Load() const { return 1.0 - static_cast<double>(free) / std::max(lane->slots, 1); }
  bool Warm(std::uint64_t problem) const { return std::ranges::binary_search(lane->warm, problem); }
};

struct OpenPool {
  PoolId pool;
  std::vector<Open> lanes;
};

std::vector<OpenPool> OpenPools(const Backlog& backlog, std::span<const LaneView> lanes) {
  std::vector<OpenPool> open;
  for (std::size_t index = 0; index < lanes.size(); ++index) {
    const LaneView& lane = lanes[index];
    if (lane.free <= 0) continue;
    auto pool = std::ranges::find(open, lane.pool, &OpenPool::pool);
    if (pool == open.end()) pool = open.insert(open.end(), OpenPool{lane.pool, {}});
    pool->lanes.push_back({index, &lane, lane.free});
  }
  std::ranges::stable_sort(open, {}, [&](const OpenPool& pool) { return backlog.Breadth(pool.pool); });
  return open;
}

/// The emptiest lane, where being warm for the task makes up for some load.
std::vector<Open>::iterator LaneFor(const Policy& policy, const Waiting& task, std::vector<Open>& lanes) {
  const bool has_problem = !task.affinity.empty();
  const std::uint64_t problem = has_problem ? AffinityKey(task.affinity) : 0;
  return std::ranges::min_element(lanes, {}, [&](const Open& open) {
    return open.Load() - (has_problem && open.Warm(problem) ? policy.affinity_load : 0);
  });
}

void FillPool(Backlog& backlog, OpenPool& open, std::vector<Decision>& assigned) {
  while (!open.lanes.empty()) {
    const Waiting* task = backlog.Next(open.pool);
    if (task == nullptr) return;
    const auto lane = LaneFor(backlog.policy(), *task, open.lanes);
    bool warm = !task->affinity.empty() && lane->Warm(AffinityKey(task->affinity));
    if (!warm) {
      // Nobody free is warm for the next one; perhaps this lane is warm for one that is due almost as soon.
      const Waiting* other = backlog.NextWarm(open.pool, lane->lane->warm);
      if (other != nullptr) task = other, warm = true;
    }
    std::string id = task->id;
    Charge charge = backlog.Take(open.pool, id);
    assigned.push_back({std::move(id), lane->index, warm, std::move(charge)});
    if (--lane->free == 0) open.lanes.erase(lane);
  }
}

}  // namespace

Decisions Decide(Backlog& backlog, std::span<const LaneView> lanes, std::int64_t now_ms) {
  Decisions decisions;
  decisions.expired = backlog.TakeExpired(now_ms);
  for (OpenPool& open : OpenPools(backlog, lanes)) FillPool(backlog, open, decisions.assigned);
  return decisions;
}

}  // namespace kgym::service
