#include "learn/pass_at_k.h"

#include "base/check.h"
#include "base/text.h"

namespace kgym::learn {

double FailAtK(std::int64_t n, std::int64_t solved, std::int64_t k) {
  KGYM_CHECK(0 <= solved && solved <= n && 0 <= k && k <= n) << "n " << n << ", solved " << solved << ", k " << k;
  const std::int64_t failed = n - solved;
  if (failed < k) return 0;
  double share = 1;
  for (std::int64_t i = 0; i < k; ++i) share *= static_cast<double>(failed - i) / static_cast<double>(n - i);
  return share;
}

double PublishedPassAtK(std::int64_t n, std::int64_t solved, std::int64_t k) {
  return solved >= k ? 1 : 1 - FailAtK(n, solved, k);
}

Status PassAtK::Add(std::int64_t n, std::int64_t solved) {
  if (k_ < 1) return Error{Concat("k is ", k_, "; 1 or more is expected")};
  if (solved < 0 || solved > n) return Error{Concat(solved, " solved of ", n, " replies")};
  if (n < k_) return Error{Concat("pass@", k_, " needs at least ", k_, " replies to a problem; this one has ", n)};
  sum_ += 1 - FailAtK(n, solved, k_);
  ++problems_;
  return Ok();
}

void PassAtK::Merge(const PassAtK& other) {
  KGYM_CHECK_EQ(k_, other.k_);
  sum_ += other.sum_;
  problems_ += other.problems_;
}

}  // namespace kgym::learn
