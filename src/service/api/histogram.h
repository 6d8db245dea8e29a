// Counts by size, as Prometheus shows them.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace kgym::service {

class Histogram {
 public:
  /// `bounds` ascend.
  explicit Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)), at_most_(bounds_.size()) {}

  void Count(double value) {
    count_ += 1;
    sum_ += value;
    const auto bound = std::ranges::lower_bound(bounds_, value);
    if (bound != bounds_.end()) at_most_[static_cast<std::size_t>(bound - bounds_.begin())] += 1;
  }

  const std::vector<double>& bounds() const { return bounds_; }
  const std::vector<std::int64_t>& at_most() const { return at_most_; }  // Each between its bound and the one below.
  std::int64_t count() const { return count_; }
  double sum() const { return sum_; }

 private:
  std::vector<double> bounds_;
  std::vector<std::int64_t> at_most_;
  std::int64_t count_ = 0;
  double sum_ = 0;
};

}  // namespace kgym::service
