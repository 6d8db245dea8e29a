#include "service/schedule/policy.h"

#include <algorithm>
#include <cmath>

#include "service/schedule/waiting.h"

namespace kgym::service {
namespace {

constexpr double kShortestHold =
    0.001;  // Seconds. Nothing is free: a flood of "0 s" tasks must move its tenant's clock.
constexpr double kLongestHold = 86'400;

int StepsAboveNormal(const Waiting& task) { return std::clamp(task.priority, 0, 2) - 1; }

}  // namespace

double HoldOf(const Policy& policy, const Waiting& task) {
  // What is not a number, zero or negative says nothing.
  if (!(task.hold_s > 0)) return ToSeconds(policy.unknown_hold);
  return std::clamp(task.hold_s, kShortestHold, kLongestHold);
}

std::int64_t DueOf(const Policy& policy, const Waiting& task) {
  const double hold_ms = HoldOf(policy, task) * 1e3;
  const double after_ms = policy.patience * hold_ms - StepsAboveNormal(task) * ToMs(policy.ageing);
  const std::int64_t due = task.submitted_ms + std::llround(after_ms);
  if (task.deadline_ms == 0) return due;
  return std::min<std::int64_t>(due, std::max<std::int64_t>(task.deadline_ms, 0) - std::llround(hold_ms));
}

double PriceOf(const Policy& policy, const Waiting& task) {
  return std::pow(policy.priority_price, -StepsAboveNormal(task));
}

double WeightOf(const Policy& policy, const std::string& tenant) {
  const auto found = policy.tenant_weights.find(tenant);
  return found == policy.tenant_weights.end() ? 1 : std::max(found->second, 1e-6);
}

}  // namespace kgym::service
