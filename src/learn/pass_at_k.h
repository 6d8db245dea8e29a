// pass@k: the probability that at least one of k replies solves a problem, estimated without bias from n >= k replies.
//
// 1 - C(n - c, k) / C(n, k) for c solved of n (Chen et al., arXiv 2107.03374): the share of the subsets of k replies
// that hold a solved one. Dr. Kernel's published grading returns 1 as soon as k replies passed, so that its pass@1 is
// any-of-n.
//
// Threads: any; a PassAtK is used by one thread at a time.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace kgym::learn {

/// C(n - c, k) / C(n, k), as a product that cannot overflow. Needs 0 <= c <= n and 0 <= k <= n.
double FailAtK(std::int64_t n, std::int64_t solved, std::int64_t k);

/// Published: 1 where k or more passed, else the estimate above. Biased upwards.
double PublishedPassAtK(std::int64_t n, std::int64_t solved, std::int64_t k);

/// The mean of pass@k over problems.
class PassAtK {
 public:
  explicit PassAtK(std::int64_t k) : k_(k) {}

  /// An error where n < k: such a problem has no unbiased estimate.
  Status Add(std::int64_t n, std::int64_t solved);
  void Merge(const PassAtK& other);

  std::int64_t problems() const { return problems_; }
  double mean() const { return problems_ == 0 ? 0 : sum_ / static_cast<double>(problems_); }

 private:
  std::int64_t k_;
  std::int64_t problems_ = 0;
  double sum_ = 0;
};

}  // namespace kgym::learn
