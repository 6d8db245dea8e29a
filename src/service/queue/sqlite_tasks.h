// The tables of the embedded queue as tasks: finding, listing, storing. What a transition means is not known here.
//
// Threads: that of the database.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "service/queue/queue.h"
#include "service/queue/sqlite.h"

namespace kgym::service {

class SqliteTasks {
 public:
  explicit SqliteTasks(Database& database);  // Whose schema is this version's; it must outlive this.

  struct Known {
    Task task;
    std::string fingerprint;
  };
  /// Without payload and result, as are all that follow.
  Result<std::optional<Known>> Find(const std::string& id);
  Status ReadTexts(Task& task);  // Its payload and result.

  Result<std::optional<Task>> Leader(const std::string& share_key);
  Result<std::vector<Task>> AttachedTo(const std::string& id);  // Oldest first.
  Result<std::vector<Task>> PastDeadline(std::int64_t now_ms);  // Oldest first.
  Result<std::vector<Task>> Live();                             // Oldest first.
  Result<std::vector<Task>> List(const ListFilter& filter, std::uint64_t before, int limit);

  /// Gives it its sequence.
  Status Insert(Task& task);
  Status Update(const Task& task);
  Status StoreResult(const Task& task);

  /// Removes the longest ended tasks, up to `limit`, of those that ended before `before_ms`. Returns their states.
  Result<std::vector<TaskState>> RemoveEnded(std::int64_t before_ms, std::int64_t limit);

  Result<std::array<std::int64_t, kTaskStates>> Count();
  Result<std::int64_t> OldestQueuedMs();

 private:
  Database& database_;
  Query find_, payload_, result_, leader_, attached_, past_deadline_, live_;
  Query insert_, insert_payload_, update_, insert_result_;
  Query ended_, remove_, remove_payload_, remove_result_, count_, oldest_;
};

}  // namespace kgym::service
