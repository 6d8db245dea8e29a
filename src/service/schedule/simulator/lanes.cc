#include "service/schedule/simulator/lanes.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace kgym::service::simulator {

Lanes::Lanes(const Fleet& fleet, const std::function<PoolId(const Labels&)>& pool_for)
    : most_open_(static_cast<std::size_t>(fleet.warm)) {
  for (const Machines& machines : fleet.machines) {
    const PoolId pool = pool_for(machines.labels);
    if (pool >= pools_.size()) pools_.resize(pool + 1);
    pools_[pool].labels = machines.labels;
    for (int machine = 0; machine < machines.count; ++machine) {
      machine_begin_.push_back(views_.size());
      views_.insert(views_.end(), static_cast<std::size_t>(machines.lanes), LaneView{.pool = pool});
      pools_[pool].up += machines.lanes;
    }
  }
  machine_begin_.push_back(views_.size());
  lanes_.resize(views_.size());
}

void Lanes::Start(std::size_t index, std::size_t task, std::uint64_t problem) {
  Lane& lane = lanes_[index];
  KGYM_CHECK(lane.up && lane.task == kNoTask) << "lane " << index;
  lane.task = task;
  ++lane.generation;
  std::erase(lane.open, problem);
  if (lane.open.size() >= most_open_) lane.open.erase(lane.open.begin());
  lane.open.push_back(problem);
  views_[index].warm = lane.open;
  std::ranges::sort(views_[index].warm);
  views_[index].free = 0;
  ++pools_[views_[index].pool].busy;
}

std::size_t Lanes::End(std::size_t index) {
  Lane& lane = lanes_[index];
  KGYM_CHECK(lane.task != kNoTask) << "lane " << index;
  ++lane.generation;
  views_[index].free = 1;
  --pools_[views_[index].pool].busy;
  return std::exchange(lane.task, kNoTask);
}

std::size_t Lanes::Fail(std::size_t index, double until) {
  Lane& lane = lanes_[index];
  const std::size_t task = lane.task == kNoTask ? kNoTask : End(index);
  if (lane.up) --pools_[views_[index].pool].up;
  lane.up = false;
  lane.down_until = std::max(lane.down_until, until);
  lane.open.clear();
  views_[index].warm.clear();
  views_[index].free = 0;
  return task;
}

bool Lanes::Restore(std::size_t index, double now) {
  Lane& lane = lanes_[index];
  if (lane.up || now < lane.down_until) return lane.up;
  lane.up = true;
  views_[index].free = 1;
  ++pools_[views_[index].pool].up;
  return true;
}

}  // namespace kgym::service::simulator
