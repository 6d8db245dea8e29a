// What a simulation found. Times are seconds of the simulation, unless a name says `wall`.
//
// Threads: any; plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace kgym::service::simulator {

struct Quantiles {
  double p50 = 0, p99 = 0, max = 0;
};

/// Of values in any order; zeros where there are none.
Quantiles QuantilesOf(std::vector<double> values);

/// Jain's index of fairness: 1 where all are equal, 1/n where one has all.
double Jain(const std::vector<double>& values);

struct Report {
  std::string policy;
  std::int64_t submitted = 0, done = 0, dead = 0;
  std::int64_t redelivered = 0;  // After a wedged lane or a lost machine.
  std::int64_t starts = 0, warm_starts = 0;
  double makespan_s = 0;
  double utilisation = 0;         // Busy share of lanes that were up.
  double utilisation_loaded = 0;  // The same, in seconds in which something waited that they could run.
  double jain_mean = 1,
         jain_low = 1;  // Between tenants that waited throughout a window, by time held; low: 5 % quantile.
  std::size_t jain_windows = 0;
  std::map<std::string, Quantiles> waits;  // "all", "high", "normal", "low", and by tenant.
  std::map<std::string, Quantiles> steps;  // By tenant: from a turn's first submission to its last result.
  std::int64_t most_waiting = 0;
  double wall_s = 0;
  double decide_wall_us = 0;  // Mean over decisions.
};

Json ToJson(const Report& report);

}  // namespace kgym::service::simulator
