// fast_p: the share of submissions that are correct and faster than the reference by a factor.
//
// Two conventions are in use: KernelBench counts speedup > p, Dr. Kernel speedup >= p. They differ where a speedup
// equals p to the last bit, which a rounded one often does. Both may be over all submissions (a wrong one is not fast)
// or among the correct.
//
// Threads: one at a time; merge what several threads have counted. Constant memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace kgym::learn {

enum class FastIf {
  kAbove,    // KernelBench: speedup > p.
  kAtLeast,  // Dr. Kernel: speedup >= p.
};

class FastP {
 public:
  FastP(std::vector<double> thresholds, FastIf convention);

  static std::vector<double> KernelBenchThresholds() { return {0, 0.5, 0.8, 1.0, 1.5, 2.0}; }
  static std::vector<double> DrKernelThresholds() { return {1.0, 1.2, 1.5, 2.0, 3.0}; }

  /// `speedup` is looked at where the submission is correct only; one that is not finite and above 0 is an error.
  Status Add(bool correct, double speedup);
  void Merge(const FastP& other);

  std::span<const double> thresholds() const { return thresholds_; }
  std::int64_t count() const { return count_; }
  std::int64_t correct() const { return correct_; }

  // By the number of the threshold; 0 where there is nothing to divide by.
  double InAll(std::size_t threshold) const;
  double AmongCorrect(std::size_t threshold) const;

 private:
  std::vector<double> thresholds_;
  FastIf convention_;
  std::vector<std::int64_t> fast_;
  std::int64_t count_ = 0, correct_ = 0;
};

}  // namespace kgym::learn
