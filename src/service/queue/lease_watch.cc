#include "service/queue/lease_watch.h"

#include <algorithm>
#include <unordered_set>

namespace kgym::service {

void LeaseWatch::Renew(const std::string& id, int attempt, Duration lease, Instant now) {
  leases_[id] = Heard{attempt, 0, lease, now};
}

void LeaseWatch::Observe(const std::string& id, int attempt, std::int64_t beat, Duration lease, Instant now) {
  const auto found = leases_.find(id);
  if (found != leases_.end() && found->second.attempt == attempt && found->second.beat == beat) return;
  leases_[id] = Heard{attempt, beat, lease, now};
}

void LeaseWatch::Drop(const std::string& id) { leases_.erase(id); }

void LeaseWatch::KeepOnly(const std::vector<std::string>& ids) {
  const std::unordered_set<std::string> kept(ids.begin(), ids.end());
  std::erase_if(leases_, [&](const auto& entry) { return !kept.contains(entry.first); });
}

std::vector<LeaseWatch::Lost> LeaseWatch::LostAt(Instant now) const {
  std::vector<Lost> lost;
  for (const auto& [id, heard] : leases_) {
    if (now - heard.last > heard.lease) lost.push_back({id, heard.attempt, heard.beat});
  }
  std::sort(lost.begin(), lost.end(), [](const Lost& a, const Lost& b) { return a.id < b.id; });
  return lost;
}

}  // namespace kgym::service
