#include "service/schedule/fair_shares.h"

#include <algorithm>

#include "base/check.h"

namespace kgym::service {

void FairShares::Enter(const std::string& name) {
  Member& member = members_[name];
  if (member.waiting++ > 0) return;
  member.clock = std::max(member.clock, served_clock_);
  order_.emplace(member.clock, name);
}

void FairShares::Leave(const std::string& name) {
  const auto found = members_.find(name);
  KGYM_CHECK(found != members_.end() && found->second.waiting > 0) << "'" << name << "' does not wait.";
  if (--found->second.waiting > 0) return;
  order_.erase({found->second.clock, name});
  if (!order_.empty()) return;
  // Nobody waits, so nobody was kept from anything: the next contest starts level.
  members_.clear();
  served_clock_ = 0;
}

const std::string& FairShares::First() const {
  KGYM_CHECK(!order_.empty());
  return order_.begin()->second;
}

void FairShares::Charge(const std::string& name, double cost) {
  const auto found = members_.find(name);
  KGYM_CHECK(found != members_.end() && found->second.waiting > 0) << "'" << name << "' does not wait.";
  served_clock_ = std::max(served_clock_, found->second.clock);
  Move(name, found->second, found->second.clock + cost);
  if (members_.size() > 2 * order_.size() + 64) ForgetIdle();
}

void FairShares::Correct(const std::string& name, double difference) {
  const auto found = members_.find(name);
  if (found == members_.end()) return;
  Move(name, found->second, std::max(found->second.clock + difference, served_clock_));
}

void FairShares::Move(const std::string& name, Member& member, double clock) {
  if (member.waiting > 0) {
    auto node = order_.extract({member.clock, name});
    node.value().first = clock;
    order_.insert(std::move(node));
  }
  member.clock = clock;
}

void FairShares::ForgetIdle() {
  // Who comes back starts at served_clock_ at the earliest, remembered or not.
  std::erase_if(members_,
                [this](const auto& entry) { return entry.second.waiting == 0 && entry.second.clock <= served_clock_; });
}

}  // namespace kgym::service
