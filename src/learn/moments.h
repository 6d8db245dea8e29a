// Count, mean, variance, smallest and largest of a stream, in constant memory (Welford's recurrence).
//
// Threads: one at a time; merge what several threads have collected.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kgym::learn {

class Moments {
 public:
  void Add(double value) {
    ++count_;
    const double before = value - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (value - mean_);
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }

  void Merge(const Moments& other) {
    if (other.count_ == 0) return;
    const double mine = static_cast<double>(count_), theirs = static_cast<double>(other.count_);
    const double shift = other.mean_ - mean_;
    mean_ += shift * theirs / (mine + theirs);
    squares_ += other.squares_ + shift * shift * mine * theirs / (mine + theirs);
    count_ += other.count_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
  }

  // All 0 where nothing was added.
  std::int64_t count() const { return count_; }
  double mean() const { return mean_; }
  double min() const { return count_ == 0 ? 0 : min_; }
  double max() const { return count_ == 0 ? 0 : max_; }
  double variance() const { return count_ < 2 ? 0 : squares_ / static_cast<double>(count_ - 1); }  // Unbiased.
  double population_variance() const { return count_ == 0 ? 0 : squares_ / static_cast<double>(count_); }
  double standard_deviation() const { return std::sqrt(variance()); }

 private:
  std::int64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
};

}  // namespace kgym::learn
