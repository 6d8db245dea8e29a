// A worker's place on the roster of its queue: kept by telling of it every few seconds.
//
// Threads: its executor.
#pragma once

#include <functional>
#include <string>

#include "base/async.h"
#include "service/api/worker_view.h"
#include "service/http/signal.h"
#include "service/queue/roster.h"

namespace kgym::service {

class Attendance {
 public:
  /// `roster` must outlive it. `view` is called on the executor, and never gives null. `heard` is called with what the
  /// roster's keeper says of all lanes, each time.
  Attendance(Executor executor, RosterEntry& roster, std::function<SharedWorkerView()> view,
             std::function<void(const std::string& lanes)> heard = {});

  /// Enters the worker. A name that a process held which died just now comes free within kSilence, and is waited for.
  /// An Error is a sentence that says why it may not work here, or that the roster cannot be reached.
  Awaitable<Status> Join();

  /// Keeps it entered until Leave(). Losing the roster is logged once, and waited out. Returns early, with the reason,
  /// where the worker is refused.
  Awaitable<Status> Keep();

  /// Join() gives up, if it still waits.
  void GiveUp();

  /// The worker goes: Keep() says so and returns.
  void Leave();

 private:
  Member Now() const;

  RosterEntry& roster_;
  std::function<SharedWorkerView()> view_;
  std::function<void(const std::string& lanes)> heard_;
  std::string instance_;
  http::Signal leaving_;
  bool left_ = false, given_up_ = false;
};

/// The view in a member's text; none where it cannot be read.
SharedWorkerView ViewOf(const Member& member);

}  // namespace kgym::service
