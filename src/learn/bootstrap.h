// Means and geometric means with bootstrap intervals, in one pass and constant memory.
//
// The Poisson bootstrap: each of `replicates` copies of the sample counts an observation as often as a Poisson number
// of mean 1 says. The number is a hash of (seed, replicate, cluster): observations of one cluster (the replies to one
// problem, say) come and go together, so the interval is that of new problems, not of new replies to the same ones. The
// order of observations does not matter, and parts seen by several workers can be merged.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kgym::learn {

struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  std::int64_t count = 0;  // Observations.
};

class BootstrapMean {
 public:
  explicit BootstrapMean(std::size_t replicates = 400, std::uint64_t seed = 0);

  Status Add(double value, std::int64_t cluster);
  void Merge(const BootstrapMean& other);

  /// The mean, and the percentiles of the replicates' means that enclose `confidence` in (0, 1). All 0 where nothing
  /// was added.
  Estimate Finish(double confidence) const;

 private:
  struct Sum {
    double weight = 0;
    double value = 0;
  };
  std::uint64_t seed_;
  double sum_ = 0;
  std::int64_t count_ = 0;
  std::vector<Sum> replicates_;
};

/// exp of the mean of logarithms; values are above 0.
class GeometricMean {
 public:
  explicit GeometricMean(std::size_t replicates = 400, std::uint64_t seed = 0) : logs_(replicates, seed) {}

  Status Add(double value, std::int64_t cluster);
  void Merge(const GeometricMean& other) { logs_.Merge(other.logs_); }
  Estimate Finish(double confidence) const;

 private:
  BootstrapMean logs_;
};

}  // namespace kgym::learn
