#include "judge/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace kgym::judge {
namespace {

std::vector<double> Sorted(std::span<const double> values) {
  KGYM_CHECK(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return sorted;
}

double MedianOfSorted(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/// The largest k for which the k-th smallest and k-th largest of n values enclose the median with `confidence`; 1 where
/// none does.
std::size_t Rank(std::size_t n, double confidence) {
  const double allowed = (1 - confidence) / 2;
  double probability = std::pow(0.5, static_cast<double>(n));  // Of exactly i values below the median.
  double below = 0;
  std::size_t rank = 1;
  for (std::size_t i = 0; i < n / 2; ++i) {
    below += probability;
    if (below > allowed) break;
    rank = i + 1;
    probability *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return rank;
}

}  // namespace

double Median(std::span<const double> values) { return MedianOfSorted(Sorted(values)); }

double Mean(std::span<const double> values) {
  KGYM_CHECK(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double CoefficientOfVariation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = Mean(values);
  double squares = 0;
  for (double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean;
}

Interval MedianInterval(std::span<const double> values, double confidence) {
  const std::vector<double> sorted = Sorted(values);
  const std::size_t rank = Rank(sorted.size(), confidence);
  return {sorted[rank - 1], sorted[sorted.size() - rank]};
}

Summary Summarize(std::span<const double> values, double confidence) {
  return {Median(values), Mean(values), MedianInterval(values, confidence), static_cast<int>(values.size())};
}

Interval Widen(Interval interval, double share) { return {interval.low * (1 - share), interval.high * (1 + share)}; }

double RelativeHalfWidth(Interval interval) {
  const double middle = (interval.low + interval.high) / 2;
  return middle > 0 ? (interval.high - interval.low) / 2 / middle : 0;
}

}  // namespace kgym::judge
