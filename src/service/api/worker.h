// A worker: takes tasks off a queue for the lanes it has, and gives their results back.
//
// It follows the queue's changes, asks the schedule (schedule/decide.h) whenever a lane is free and something waits,
// and leases what it decided. While a task runs its lease is extended; one that is lost, because somebody cancelled the
// task or the deadline passed, stops the work. A result that the queue cannot take now is kept and offered again. What
// the queue says is ours and we know nothing of (a process before this one was ended; an answer to a lease was lost) is
// given back. A lane that is ill gets nothing until it works again, and what it had been given goes back to the queue.
//
// Threads: its executor, on which the lanes run too; view() from any.
#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/async.h"
#include "service/api/lanes.h"
#include "service/api/worker_view.h"
#include "service/http/signal.h"
#include "service/queue/queue.h"
#include "service/queue/unix_clock.h"
#include "service/schedule/decide.h"

namespace kgym::service {

struct WorkerOptions {
  std::string name = "local";            // Of one living process at a time.
  std::vector<std::string> before = {};  // Names of processes that are dead: what they ran is ours to see to.
  Duration lease = 30s;
  Labels labels = {};  // That each lane has besides its own.
  std::string version = {};
  /// Where the lanes do not start; the worker then waits to be drained.
  std::function<void(const std::string& fault)> failed = {};
};

class Worker {
 public:
  /// All must outlive it. Its executor must outlive it too.
  Worker(Executor executor, WorkQueue& queue, Lanes& lanes, WorkerOptions options);

  /// Makes the lanes ready and works until Drain() is done.
  Awaitable<void> Run();

  /// Asks for all that waits anew: the lanes may have a use for other tasks than before.
  void LookAgain();

  /// Takes no more; what runs may go on for `patience`, then is handed back. Run() ends afterwards.
  void Drain(Duration patience);

  SharedWorkerView view() const;

 private:
  struct Running {
    Task task;
    std::size_t lane = 0;
    Charge charge;
    Instant start;
    boost::asio::cancellation_signal stop;
    bool lost = false;       // The task is no longer ours.
    bool returning = false;  // It is handed back.
    std::string illness;     // Of its lane, which is why it is.
  };
  using Place = std::list<Running>::iterator;

  void OnChanges(const Changes& changes);
  void OnChange(const Task& task);
  bool Ours(const Task& task) const;
  std::vector<Hold> StrangersIn(const Changes& changes) const;
  void RecoverStrangers();
  Awaitable<void> Recover(std::vector<Hold> strangers, bool ended);
  void OnHealth(std::size_t lane, const std::string& illness);
  Awaitable<void> Dispatch();
  std::vector<LaneView> LaneViews() const;
  Awaitable<void> Heartbeat();
  Awaitable<void> Work(Place place);
  Awaitable<std::optional<Ran>> RunOnLane(Place place);
  Awaitable<void> Report(const Running& running, const Ran& ran);
  Awaitable<void> Return(const Running& running);
  Awaitable<void> TellStage(Hold hold, std::string stage);
  Awaitable<void> DrainLater();
  void Stop(Running& running);
  void SendBack(Running& running, std::string illness);
  void Free(Place place);

  /// The only way in which what view() shows is changed.
  template <class Change>
  void Update(Change change) {
    const std::lock_guard lock(mutex_);
    change(state_);
  }

  Executor executor_;
  WorkQueue& queue_;
  Lanes& lanes_;
  const WorkerOptions options_;
  MonotonicClock clock_;
  UnixClock unix_;
  Backlog backlog_;
  std::vector<PoolId> pools_;                   // By lane.
  std::vector<std::list<std::uint64_t>> warm_;  // By lane: problems it judged last, the newest first.
  std::list<Running> running_;
  std::map<std::string, Place> by_id_;
  http::Signal kick_;     // Something waits, or a lane is free.
  http::Signal beat_;     // The heart shall not wait any longer.
  http::Signal drained_;  // A task has left.
  http::Signal idle_;     // Nothing is pending.
  Duration patience_{};
  bool first_sight_ = true;
  bool draining_ = false;
  bool leasing_ = false;
  std::set<std::string> ended_meanwhile_;  // While a lease was being asked for.
  std::vector<Hold> strangers_;            // Of the last look, and not recovered yet.
  int pending_ = 0;                        // Coroutines besides Run().
  std::unique_ptr<Subscription> subscription_;

  mutable std::mutex mutex_;  // Held by view(), and by the worker's thread while it changes `state_`.
  WorkerView state_;
};

}  // namespace kgym::service
