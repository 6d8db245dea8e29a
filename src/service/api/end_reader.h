// How tasks ended, for all who waited for them: where a hundred clients wait for one task, the queue is asked once and
// the answer written down once.
//
// Threads: the HTTP server's executor.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "base/async.h"
#include "service/queue/queue.h"

namespace kgym::service {

/// A task that has ended, whole, and what its clients are shown.
struct TaskEnd {
  Task task;
  std::string json;  // EvaluationJson, in one line.
};

class EndReader {
 public:
  /// `queue` must outlive it.
  EndReader(Executor executor, Queue& queue) : executor_(executor), queue_(queue) {}

  /// Of a task that is known to have ended; who asks while another asks gets the same. Null where it is forgotten.
  Awaitable<Result<std::shared_ptr<const TaskEnd>>> Read(std::string id);

 private:
  struct Reading;
  Awaitable<void> Run(std::string id, std::shared_ptr<Reading> reading);

  Executor executor_;
  Queue& queue_;
  std::unordered_map<std::string, std::shared_ptr<Reading>> readings_;  // That are on their way.
};

}  // namespace kgym::service
