#include "service/queue/tally.h"

namespace kgym::service {

std::int64_t Tally::queued_of(const std::string& tenant) const {
  const auto found = queued_by_tenant.find(tenant);
  return found == queued_by_tenant.end() ? 0 : found->second;
}

std::int64_t Tally::ended() const {
  std::int64_t sum = 0;
  for (std::size_t state = 0; state < kTaskStates; ++state) {
    if (Ended(static_cast<TaskState>(state))) sum += by_state[state];
  }
  return sum;
}

void Tally::Count(const Task& task, std::int64_t by) {
  by_state[static_cast<std::size_t>(task.state)] += by;
  if (task.state != TaskState::kQueued) return;
  queued_by_priority[static_cast<std::size_t>(task.spec.priority)] += by;
  if (!task.attached_to.empty()) attached += by;
  const auto tenant = queued_by_tenant.try_emplace(task.spec.tenant, 0).first;
  tenant->second += by;
  if (tenant->second == 0) queued_by_tenant.erase(tenant);
}

}  // namespace kgym::service
