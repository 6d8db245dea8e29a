// Quantiles with linear interpolation between order statistics, as numpy's default has them.
//
// Threads: any; pure functions.
#pragma once

#include <vector>

namespace kgym::learn {

/// `values` is not empty, `share` in [0, 1].
double Quantile(std::vector<double> values, double share);

/// The same of values that are already in order.
double QuantileOfSorted(const std::vector<double>& sorted, double share);

}  // namespace kgym::learn
