// The queue: what the service has accepted and not yet forgotten. Nothing that it acknowledged is ever lost.
//
// Every call answers only when what it says is durable (docs/queue.md says what that means for each implementation).
// A task moves: queued -> running -> done; back to queued when its lease is lost, handed back or failed; to cancelled
// or dead from either. Nothing leaves done, cancelled or dead, until it is forgotten.
//
// An Error means that the call had no effect or, where the disk or the connection broke under it, that this is not
// known. Every call may be made again: what it did before is told from what it does now.
//
// Threads: all calls may be made from any executor; the answer comes back on the caller's. A call once made is carried
// out even if its coroutine is cancelled. A queue must outlive its calls and subscriptions, and the contexts that they
// come from must outlive the queue.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/duration.h"
#include "base/result.h"
#include "service/queue/task.h"

namespace kgym::service {

/// What became of one submission.
struct Accepted {
  enum class Kind {
    kNew,       // Stored.
    kSame,      // This id with the same content is known: `task` is what became of it, with its result if it has one.
    kConflict,  // This id is known with other content; nothing was stored.
    kFull,      // A bound is reached; nothing was stored. To be tried again after `retry_after`.
  };
  Kind kind = Kind::kNew;
  Task task = {};             // As it is now; its spec alone where kFull.
  Duration retry_after = {};  // Where kFull.
  std::string reason = {};    // A sentence where kConflict or kFull.
};

/// A task that a worker wants, and the lane that it is for.
struct Want {
  std::string id = {};
  std::string lane = {};
};

/// One lease. A worker that lost it (expired, cancelled, deadline) holds a stale one, and is told so.
struct Hold {
  std::string worker = {};
  std::string id = {};
  int attempt = 0;
};

enum class Told {
  kStored,    // It is so now.
  kRepeated,  // It was so before: the hold ended just so, and the answer to that must have been lost.
  kStale,     // The hold is not, or no longer, the task's. Nothing was stored.
  kRefused,   // It will never be taken as it is, and whoever found that out has said why. Nothing was stored.
};

struct ListFilter {
  std::optional<TaskState> state = {};
  std::string tenant = {};  // Empty: any.
  std::string run = {};     // Empty: any.
};

/// Newest first. Tasks are without payload and result.
struct ListPage {
  std::vector<Task> tasks = {};
  std::string next = {};  // The cursor of the next page; empty where there is none.
};

struct QueueStats {
  std::array<std::int64_t, kTaskStates> by_state{};  // Tasks kept now.
  std::array<std::int64_t, kPriorities> queued_by_priority{};
  std::int64_t attached = 0;          // Of the queued ones, those that wait for identical work.
  std::int64_t oldest_queued_ms = 0;  // When the oldest of them was submitted; 0 where none waits.

  // Since the queue was made.
  std::int64_t accepted = 0;                      // Stored by Submit.
  std::int64_t redelivered = 0;                   // Back to queued after a lost lease or a failure.
  std::int64_t stale = 0;                         // Completions, failures and hand-backs that came too late.
  std::array<std::int64_t, kTaskStates> ended{};  // By the state that they ended in.
};

/// Ended tasks are forgotten once they are older than `age`, or more than `count` are younger than they.
struct Retention {
  Duration age = 24h * 7;
  std::int64_t count = 1'000'000;
};

/// What a subscriber is told. Tasks are without payload and result.
struct Changes {
  bool reset = false;            // Forget what you knew: `tasks` are all that are queued or running now.
  std::vector<Task> tasks = {};  // Each as it is after one change, in the order of the changes.
};

/// Ends its subscription when it goes; a call of the callback that is already on its way may still come.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

/// What a worker needs of a queue: of one in its process, or of one that a server far away keeps.
class WorkQueue {
 public:
  virtual ~WorkQueue() = default;

  /// Those of the wanted tasks that this worker holds from now on; the others are no longer to be had. A lease is lost
  /// when it is not extended for `lease`, as measured on the clock of the process that takes it back.
  virtual Awaitable<Result<std::vector<Task>>> Lease(std::string worker, std::vector<Want> wants, Duration lease) = 0;

  /// The heartbeat. `stage` is what is being done now; empty leaves it. Returns the holds that are lost: stop their
  /// work.
  virtual Awaitable<Result<std::vector<Hold>>> Extend(std::vector<Hold> holds, std::string stage) = 0;

  /// Ends the task, exactly once, and with it all that are attached to it.
  virtual Awaitable<Result<Told>> Complete(Hold hold, std::string result) = 0;

  /// Back to queued, no attempt counted: a worker that leaves.
  virtual Awaitable<Result<Told>> HandBack(Hold hold) = 0;

  /// Back to queued or, where the attempts are used up, dead.
  virtual Awaitable<Result<Told>> Fail(Hold hold, std::string reason) = 0;

  /// How long a queue that said no a moment ago wants to be left alone; 0 where it did not say.
  virtual Duration RetryAfter() const { return Duration(0); }

  /// Tells all that live (a reset), then every change in order; none is missed or told twice. `callback` runs on
  /// `executor`, which must outlive the subscription. A scheduler keeps its index with it, an API its waiting calls.
  virtual std::unique_ptr<Subscription> Watch(Executor executor, std::function<void(const Changes&)> callback) = 0;
};

class Queue : public WorkQueue {
 public:
  /// One answer for each spec, in order. An invalid spec is an Error that names it, and nothing is stored.
  virtual Awaitable<Result<std::vector<Accepted>>> Submit(std::vector<TaskSpec> specs) = 0;

  /// The task as it is afterwards: cancelled, or as it ended before. None where the id is not known. Whoever runs it
  /// learns of it by Watch or by the next Extend.
  virtual Awaitable<Result<std::optional<Task>>> Cancel(std::string id) = 0;

  /// With payload and result.
  virtual Awaitable<Result<std::optional<Task>>> Get(std::string id) = 0;

  /// `cursor` is `next` of the page before, or empty.
  virtual Awaitable<Result<ListPage>> List(ListFilter filter, std::string cursor, int limit) = 0;

  virtual Awaitable<Result<QueueStats>> Stats() = 0;

  /// Takes back the leases that were not extended in time, and ends what is past its deadline. Returns how many.
  virtual Awaitable<Result<int>> ExpireLeases() = 0;

  /// Returns how many were forgotten.
  virtual Awaitable<Result<int>> Forget(Retention retention) = 0;
};

}  // namespace kgym::service
