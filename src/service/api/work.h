// `kgym worker`, whole: the lanes of this machine, at work on a queue that is elsewhere. No HTTP API.
//
// It joins a Redis queue, or the queue of a `kgym serve`, and shows in the roster of whoever serves it. SIGINT or
// SIGTERM drains: what runs ends or is handed back. A second signal ends the process at once; its leases then run out,
// and what it ran is tried again elsewhere. A lost connection is waited for, and results are kept until they are told.
//
// Threads: called once, from main.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/duration.h"
#include "base/result.h"
#include "judge/judge_config.h"
#include "service/schedule/labels.h"

namespace kgym::service {

struct WorkOptions {
  std::string join;                        // "redis://..." or "http://host:port".
  std::string token;                       // Of a server, with the scope `work`.
  std::string name;                        // Of one living process; empty: one of its own (worker_name.h).
  std::vector<judge::JudgeConfig> judges;  // One a device.
  int slots = 0;                           // Evaluations that a judge is given at once; 0: as suits the device.
  Labels labels;                           // That each lane has besides its own.
  bool build_only = false;                 // Builds for the others, by the first of `judges`; no device is used.
  std::string build_arch;                  // Of the cards that it builds for: "90"; empty: for CPU lanes.
  int fake_lanes = 0;                      // Above 0: these in place of the judges.
  Duration fake_hold = 50ms;
  Duration fake_wedge = {};  // After how long, on average, one of these falls ill for a second; 0: never.
  Duration lease = 30s;      // What is not heard of for so long is tried again elsewhere.
  Duration drain = 30s;      // How long what runs may go on after the first signal.
  std::string version;
};

/// What somebody who started it wants to know.
struct Working {
  std::string name;
  std::string queue;  // Where it is, for people.
};

/// Works until a signal. `begun` is called once it has joined. An error says why it could not join, or was refused.
Status Work(WorkOptions options, std::function<void(const Working&)> begun);

}  // namespace kgym::service
