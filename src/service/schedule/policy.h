// The order in which waiting tasks are served, as numbers and formulas.
//
// Between tenants, and between the runs of a tenant, lanes are shared fairly by the time they are held (fair_shares.h).
// Within a run each task has a moment by which it is due to start, and the earliest is served first:
//
//   due = submitted + patience x hold - (priority - normal) x ageing,   and at the latest   deadline - hold
//
// Everything that waits grows older at the same rate, so an order by "priority plus age, minus length" never changes
// while tasks wait: it is that fixed moment. What is submitted at once goes shortest first. Nothing starves: what is
// submitted later than patience x hold + two steps of ageing after a task goes after it, unless it has a deadline; and
// a deadline, like a priority within a run, moves a task only past others of its own run.
//
// Threads: any; plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/duration.h"

namespace kgym::service {

struct Waiting;

struct Policy {
  Duration ageing = 10min;       // What one step of priority is worth in waiting.
  double patience = 10;          // A task is placed as if submitted this many of its holds later.
  Duration affinity_slack = 5s;  // How much later a task may be due that goes first since the lane is warm for it.
  double affinity_load = 0.5;    // A warm lane is preferred unless it is fuller than the emptiest by this share.
  double priority_price = 8;     // Between runs of a tenant, a step of priority makes a held second this much cheaper.
  Duration unknown_hold = 2s;    // Expected of a task that says nothing.
  std::map<std::string, double> tenant_weights = {};  // Shares of lanes; 1 for a tenant that is not named.
};

/// How long the task is expected to hold its lane, in seconds; above zero.
double HoldOf(const Policy& policy, const Waiting& task);

/// The moment by which it should start, in unix milliseconds.
std::int64_t DueOf(const Policy& policy, const Waiting& task);

/// What a second of it costs its run.
double PriceOf(const Policy& policy, const Waiting& task);

double WeightOf(const Policy& policy, const std::string& tenant);

}  // namespace kgym::service
