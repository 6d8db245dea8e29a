#include "learn/quantile.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace kgym::learn {

double QuantileOfSorted(const std::vector<double>& sorted, double share) {
  KGYM_CHECK(!sorted.empty());
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double Quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return QuantileOfSorted(values, share);
}

}  // namespace kgym::learn
