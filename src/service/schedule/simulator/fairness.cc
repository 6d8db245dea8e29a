#include "service/schedule/simulator/fairness.h"

#include "service/schedule/simulator/report.h"

namespace kgym::service::simulator {

void Fairness::Sample(std::size_t pool, const std::vector<std::string>& waiting) {
  ++samples_by_pool_[pool];
  for (const auto& [key, running] : running_) {
    if (key.first == pool) held_[key] += running;
  }
  for (const std::string& tenant : waiting) ++waited_[{pool, tenant}];
}

void Fairness::EndWindow() {
  for (const auto& [pool, samples] : samples_by_pool_) {
    std::vector<double> shares;
    for (const auto& [key, waited] : waited_) {
      if (key.first == pool && waited == samples) shares.push_back(held_[key]);
    }
    if (shares.size() >= 2) indices_.push_back(Jain(shares));
  }
  held_.clear();
  waited_.clear();
  samples_by_pool_.clear();
}

}  // namespace kgym::service::simulator
