// Statistics of measured times: medians with intervals that assume nothing about the distribution.
//
// The interval of a median is taken from order statistics: for n independent values, the k-th smallest and the k-th
// largest enclose the true median with probability 1 - 2 * Binom(n, 1/2)(X < k). No normality, no resampling, valid
// from six values on.
//
// Threads: any; pure functions. Empty input is a broken invariant.
#pragma once

#include <span>
#include <vector>

namespace kgym::judge {

struct Interval {
  double low = 0;
  double high = 0;
};

double Median(std::span<const double> values);
double Mean(std::span<const double> values);

/// Standard deviation over mean, of a sample; 0 for fewer than two values.
double CoefficientOfVariation(std::span<const double> values);

/// Encloses the median with at least `confidence`; the extremes where there are too few values for it.
Interval MedianInterval(std::span<const double> values, double confidence);

struct Summary {
  double median = 0;
  double mean = 0;
  Interval interval;  // Of the median, at the confidence asked for.
  int trials = 0;
};

Summary Summarize(std::span<const double> values, double confidence);

/// Wider by a share of itself on either side: what differs between processes is not seen within one.
Interval Widen(Interval interval, double share);

/// Half the width over the middle.
double RelativeHalfWidth(Interval interval);

}  // namespace kgym::judge
