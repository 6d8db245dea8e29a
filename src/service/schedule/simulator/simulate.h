// Plays a scenario against a scheduler on a virtual clock: the same scenario and scheduler give the same report on
// every machine, but for the wall times in it. A thousand lanes and a million tasks take some seconds.
//
// Threads: one at a time.
#pragma once

#include "service/schedule/simulator/report.h"
#include "service/schedule/simulator/scenario.h"
#include "service/schedule/simulator/scheduler.h"

namespace kgym::service::simulator {

/// Ends when every task that was submitted has ended, once.
Report Simulate(const Scenario& scenario, Scheduler& scheduler);

}  // namespace kgym::service::simulator
