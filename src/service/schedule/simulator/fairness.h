// Measures how fairly tenants were served while they competed: per pool and window of time, over the tenants that had
// work waiting for that pool throughout, Jain's index of the time their tasks held its lanes.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kgym::service::simulator {

class Fairness {
 public:
  /// A lane of the pool begins to work for the tenant, or has ended: `running` goes up or down by one.
  void Running(std::size_t pool, const std::string& tenant, int change) { running_[{pool, tenant}] += change; }

  /// Called once a simulated second, with the tenants that have work waiting that the pool can run.
  void Sample(std::size_t pool, const std::vector<std::string>& waiting);

  /// Called at the end of each window of a few samples.
  void EndWindow();

  const std::vector<double>& indices() const { return indices_; }

 private:
  using Key = std::pair<std::size_t, std::string>;

  std::map<Key, int> running_;
  std::map<Key, double> held_;  // Lane-seconds in this window.
  std::map<Key, int> waited_;   // Samples of this window in which it waited.
  std::map<std::size_t, int> samples_by_pool_;
  std::vector<double> indices_;
};

}  // namespace kgym::service::simulator
