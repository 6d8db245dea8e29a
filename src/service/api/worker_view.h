// What a worker is doing, for whoever asks: in this process, or on another machine.
//
// Threads: any; a plain value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "service/api/lanes.h"

namespace kgym::service {

struct WorkerView {
  enum class State { kStarting, kReady, kFailed, kDraining, kGone };
  struct Lane {
    LaneInfo info;
    std::string fault = {};  // Why it is out of use; empty where it works.
    int running = 0;
    std::int64_t done = 0;    // Tasks that ended here with a result.
    std::int64_t failed = 0;  // That are to be tried again.
    double busy_s = 0;        // Sum of holds that have ended.
  };
  std::string name;
  std::string version;  // Of its kgym; empty where it is not known.
  State state = State::kStarting;
  std::string fault;  // Where it failed.
  std::vector<Lane> lanes;
  std::int64_t stopped = 0;   // Tasks whose work was stopped: cancelled, or their lease lost.
  std::int64_t returned = 0;  // Handed back while draining.
};

/// One that somebody else may be looking at.
using SharedWorkerView = std::shared_ptr<const WorkerView>;

std::string_view Name(WorkerView::State state);  // "starting", "ready", "failed", "draining", "gone".

/// "ready", "quarantined" where it is out of use, or its worker's state.
std::string_view LaneState(const WorkerView& worker, const WorkerView::Lane& lane);

/// As it travels from a worker to a server, and back; an error names the field.
Json WorkerViewJson(const WorkerView& worker);
Result<WorkerView> ReadWorkerView(const Json& json);

}  // namespace kgym::service
