// What a worker runs tasks on: the judge of this machine, or something that only seems to.
//
// Threads: the worker's executor.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/json.h"
#include "base/result.h"
#include "service/queue/task.h"
#include "service/schedule/follow.h"
#include "service/schedule/labels.h"

namespace kgym::service {

struct LaneInfo {
  std::string name;             // "cpu", "cuda:0".
  Labels labels;                // What a task may ask for.
  int slots = 1;                // Tasks that may share it.
  Json facts = Json::object();  // Card, cores, versions, backends: for people.
};

/// What came of running a task.
struct Ran {
  bool ok = false;
  std::string text = {};  // The result's JSON where it is ok, else why there is none; the task is then tried again.
  bool back = false;      // Neither: the task is for another lane, and goes back as if it had not been tried.
};

class Lanes {
 public:
  virtual ~Lanes() = default;

  /// Makes them ready; may take seconds. An error says what is missing, and what to do.
  virtual Awaitable<Result<std::vector<LaneInfo>>> Start() = 0;

  /// Runs one task on the lane of that number, telling its stages. Being cancelled stops the work and frees the lane.
  /// `task` outlives the call. `last`: there is no further attempt.
  virtual Awaitable<Ran> Run(std::size_t lane, const Task& task, bool last,
                             std::function<void(std::string_view)> stage) = 0;

  /// A queued task as the schedule of these lanes sees it; none where it is not for them.
  virtual std::optional<Waiting> Pick(const Task& task) const { return WaitingOf(task); }

  /// After Start(): `told` is called when a lane is taken out of use, with the reason, and with an empty one when it
  /// works again; at once for those that are ill now. Never after Close(). Lanes that are never ill need not.
  virtual void WatchHealth(std::function<void(std::size_t lane, const std::string& illness)> told) { (void)told; }

  virtual Awaitable<void> Close() = 0;
};

}  // namespace kgym::service
