// What the simulator plays: a fleet of lanes that fail, and trainers that send work the way RL training does.
//
// Times are seconds of the simulation. Threads: any; plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/schedule/labels.h"

namespace kgym::service::simulator {

/// Machines of one kind, each with some lanes; a lane runs one evaluation at a time.
struct Machines {
  int count = 1;
  int lanes = 8;
  Labels labels = {};
};

struct Fleet {
  std::vector<Machines> machines;
  int warm = 8;                // Reference hosts a lane keeps open.
  double cold_s = 0.8;         // What opening one costs.
  double lane_mtbf_s = 0;      // A lane wedges, with what it runs; 0: never.
  double wedge_noticed_s = 5;  // Until its task is given to another.
  double quarantine_s = 60;
  double machine_mtbf_s = 0;  // A machine is lost with all it runs; 0: never.
  double lease_s = 15;        // Until its tasks are given to others.
  double reboot_s = 120;
};

/// A training run: steps of turns of groups of rollouts. The next turn comes when all of the last has ended.
struct Trainer {
  std::string tenant, run;
  int priority = 1;
  Labels labels = {};
  int groups = 64;  // Problems a step, each with `rollouts` submissions a turn.
  int rollouts = 16;
  int turns = 3;
  double spread_s = 5;     // A turn's submissions come one by one over about this long, as generation ends.
  double training_s = 20;  // Between a step's last result and the next step.
  double start_s = 0;
  int steps = 1'000'000;  // At most.
  int problems = 1000;    // It draws from the first so many problems.
};

struct Scenario {
  Fleet fleet;
  std::vector<Trainer> trainers;
  std::int64_t tasks = 1'000'000;  // No turn begins once so many were submitted.
  double hold_median_s = 0.6;      // Of problems; each has its own usual hold.
  double hold_sigma = 0.6;         // Spread of the logarithm between problems; half of it within one.
  double slow_share = 0.01;        // Submissions that take ten times as long.
  double expected_sigma = 0.3;     // How far the expected hold is off.
  int attempts = 3;
  std::uint64_t seed = 1;
};

/// 1,000 GPUs in 125 machines of two kinds, failing; large, middling and small runs, people who wait for one answer,
/// and a sweep of low priority that comes all at once. `scale` shrinks lanes and work alike: 0.01 is 10 GPUs.
Scenario Standard(double scale = 1);

}  // namespace kgym::service::simulator
