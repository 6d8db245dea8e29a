#include "service/queue/bounds.h"

#include <algorithm>

#include "base/text.h"

namespace kgym::service {
namespace {

constexpr Duration kWindow = 1min;

}  // namespace

void RateMeter::Count(std::int64_t number, Instant now) {
  Trim(now);
  if (slots_.empty() || now - slots_.back().start >= 1s) slots_.push_back({now, 0});
  slots_.back().number += number;
}

double RateMeter::PerSecond(Instant now) {
  Trim(now);
  if (slots_.empty()) return 0;
  std::int64_t sum = 0;
  for (const Slot& slot : slots_) sum += slot.number;
  return static_cast<double>(sum) / std::max(1.0, ToSeconds(now - slots_.front().start));
}

void RateMeter::Trim(Instant now) {
  while (!slots_.empty() && now - slots_.front().start > kWindow) slots_.pop_front();
}

Duration RetryAfter(std::int64_t bound, double ended_per_second) {
  const double wanted = std::max(1.0, static_cast<double>(bound) / 100);
  if (ended_per_second <= 0) return 60s;
  return FromSeconds(std::clamp(wanted / ended_per_second, 1.0, 60.0));
}

std::string FullReason(const Bounds& bounds, bool tenant_is_full, const std::string& tenant) {
  if (tenant_is_full) {
    return Concat("the queue is full for tenant '", tenant, "': ", bounds.queued_per_tenant, " of its tasks wait");
  }
  return Concat("the queue is full: ", bounds.queued, " tasks wait");
}

}  // namespace kgym::service
