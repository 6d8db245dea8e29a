#include "judge/round_plan.h"

#include <utility>

#include "base/ids.h"

namespace kgym::judge {

RoundPlan PlanRound(int slots, BatchShape shape) {
  const int warm = slots - 1;
  RoundPlan plan;
  plan.slots.assign(static_cast<std::size_t>(shape.warmup), warm);
  if (shape.warmup > 0) plan.sets.push_back({warm, "fresh", -1, {}});
  const int first = static_cast<int>(RandomU64() % static_cast<std::uint64_t>(warm));
  for (int i = 0; i < shape.calls; ++i) {
    plan.slots.push_back((first + i) % warm);
    plan.sets.push_back({plan.slots.back(), "fresh", -1, {}});
  }
  return plan;
}

std::vector<Filled> ForEachCall(std::vector<Filled> filled, BatchShape shape) {
  if (shape.warmup > 0) {
    const Filled warm = filled.front();
    filled.insert(filled.begin(), static_cast<std::size_t>(shape.warmup) - 1, warm);
  }
  return filled;
}

Json BatchRequest(const std::vector<Filled>& filled, Duration delay) {
  Json calls = Json::array();
  for (const Filled& one : filled) calls.push_back({{"inputs", one.inputs}, {"output", one.output}});
  return {{"op", "batch"}, {"calls", std::move(calls)}, {"delay_ns", delay.count()}};
}

}  // namespace kgym::judge
