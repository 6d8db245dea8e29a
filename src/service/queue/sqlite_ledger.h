// Every transition of the embedded queue, carried out on its tables. The caller begins and ends the transactions.
//
// Between transactions the memory here agrees with the tables: Settle follows a commit, Undo a rollback. (A heartbeat
// counts whatever becomes of its transaction: its holder was heard of.)
//
// Arguments are as the queue's front has checked them: an Error is the storage's.
//
// Threads: that of the database.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "service/queue/bounds.h"
#include "service/queue/lease_watch.h"
#include "service/queue/queue.h"
#include "service/queue/sqlite_tasks.h"
#include "service/queue/tally.h"
#include "service/queue/unix_clock.h"

namespace kgym::service {

class SqliteLedger {
 public:
  SqliteLedger(Database& database, const Clock& clock, Bounds bounds);  // Both must outlive this.

  /// Reads what the tables hold. Leases that were running start anew: nobody was there to hear their holders.
  Status Load();

  Result<Accepted> Submit(const TaskSpec& spec);
  Result<std::vector<Task>> Lease(const std::string& worker, const std::vector<Want>& wants, Duration lease);
  Result<std::vector<Hold>> Extend(const std::vector<Hold>& holds, const std::string& stage);
  Result<Told> Complete(const Hold& hold, const std::string& result);
  Result<Told> HandBack(const Hold& hold);
  Result<Told> Fail(const Hold& hold, const std::string& reason);
  Result<std::optional<Task>> Cancel(const std::string& id);
  Result<std::optional<Task>> Get(const std::string& id);
  Result<ListPage> List(const ListFilter& filter, std::uint64_t before, int limit);
  Result<QueueStats> Stats();
  Result<int> ExpireLeases();
  Result<int> Forget(const Retention& retention);
  Result<std::vector<Task>> Live() { return tasks_.Live(); }

  /// The transaction is committed: what changed in it, in order.
  std::vector<Task> Settle();
  void Undo();

 private:
  struct Counts {
    Tally tally;
    std::int64_t accepted = 0;
    std::int64_t redelivered = 0;
    std::int64_t stale = 0;
    std::array<std::int64_t, kTaskStates> ended{};
  };

  std::optional<Accepted> CheckRoom(const TaskSpec& spec);
  Status Attach(Task& task);
  Status Store(const Task& before, const Task& after);
  Status EndAndPromote(Task task, TaskState state, const std::string& reason);
  Status Promote(const std::string& ended);
  Status EndWith(const Task& leader);
  Status LoseLease(Task task, const std::string& reason);
  Result<std::optional<Task>> Held(const Hold& hold);
  Result<Told> TellOther(const Hold& hold, std::initializer_list<TaskState> repeated);

  const Clock& clock_;
  const UnixClock date_;
  const Bounds bounds_;
  SqliteTasks tasks_;
  RateMeter ended_rate_;
  LeaseWatch leases_;
  Counts counts_, settled_;
  std::vector<Task> changes_;  // Of this transaction.
};

}  // namespace kgym::service
