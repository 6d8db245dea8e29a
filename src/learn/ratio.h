// A probability ratio from a difference of log-probabilities, bounded before the exponential.
//
// Threads: any; pure functions.
#pragma once

#include <algorithm>
#include <cmath>

namespace kgym::learn {

/// Beyond e^20 a ratio says only that something is wrong; bounded, its products stay finite.
inline constexpr double kRatioBound = 20;

struct Ratio {
  double value = 1;
  double slope = 1;  // Of the value with respect to the difference: the value itself, 0 where it is bounded.
};

inline Ratio RatioOf(double difference) {
  const double value = std::exp(std::clamp(difference, -kRatioBound, kRatioBound));
  return {value, std::abs(difference) <= kRatioBound ? value : 0};
}

}  // namespace kgym::learn
