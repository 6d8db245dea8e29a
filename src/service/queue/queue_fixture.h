// For tests of a queue: its calls as plain functions, and tasks to play with.
//
// Threads: the test's.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "service/queue/bounds.h"
#include "service/queue/queue.h"

namespace kgym::service {

/// Where a queue keeps what it knows. A queue opened again at the same place goes on with it.
class Place {
 public:
  virtual ~Place() = default;
  virtual Result<std::unique_ptr<Queue>> Open(const Clock& clock, Bounds bounds) = 0;
};

/// A queue whose calls answer before they return, and stop the test where they fail.
class Driver {
 public:
  explicit Driver(boost::asio::io_context& context) : context_(context) {}
  void Use(std::unique_ptr<Queue> queue) { queue_ = std::move(queue); }
  Queue& queue() { return *queue_; }

  template <class T>
  T Await(Awaitable<T> work) {
    std::optional<T> answer;
    Spawn(context_.get_executor(), Store(std::move(work), answer));
    context_.restart();
    while (!answer) KGYM_CHECK_GT(context_.run_one(), 0u);
    return std::move(*answer);
  }

  std::vector<Accepted> Submit(std::vector<TaskSpec> specs) { return *Await(queue_->Submit(std::move(specs))); }
  Accepted SubmitOne(TaskSpec spec) { return Submit({std::move(spec)}).front(); }
  /// Leases one; none where it is not to be had.
  std::optional<Task> Lease(const std::string& id, const std::string& worker = "w", Duration lease = 10s) {
    std::vector<Task> leased = *Await(queue_->Lease(worker, {Want{id, "lane0"}}, lease));
    if (leased.empty()) return std::nullopt;
    return std::move(leased.front());
  }
  std::vector<Hold> Extend(std::vector<Hold> holds, std::string stage = "") {
    return *Await(queue_->Extend(std::move(holds), std::move(stage)));
  }
  Told Complete(Hold hold, std::string result) { return *Await(queue_->Complete(std::move(hold), std::move(result))); }
  Told HandBack(Hold hold) { return *Await(queue_->HandBack(std::move(hold))); }
  Told Fail(Hold hold, std::string reason) { return *Await(queue_->Fail(std::move(hold), std::move(reason))); }
  std::optional<Task> Cancel(std::string id) { return *Await(queue_->Cancel(std::move(id))); }
  std::optional<Task> Find(std::string id) { return *Await(queue_->Get(std::move(id))); }
  Task Get(std::string id) { return *Find(std::move(id)); }
  ListPage List(ListFilter filter = {}, std::string cursor = "", int limit = 100) {
    return *Await(queue_->List(std::move(filter), std::move(cursor), limit));
  }
  QueueStats Stats() { return *Await(queue_->Stats()); }
  int Expire() { return *Await(queue_->ExpireLeases()); }
  int Forget(Retention retention) { return *Await(queue_->Forget(retention)); }

 private:
  template <class T>
  static Awaitable<void> Store(Awaitable<T> work, std::optional<T>& answer) {
    answer = co_await std::move(work);
  }

  boost::asio::io_context& context_;
  std::unique_ptr<Queue> queue_;
};

inline TaskSpec Spec(const std::string& id) {
  return {.id = id, .tenant = "t", .run = "r", .payload = Concat("{\"work\":\"", id, "\"}")};
}

/// Work that is identical to all others of this key.
inline TaskSpec Shared(const std::string& id, const std::string& content_key) {
  TaskSpec spec = Spec(id);
  spec.content_key = content_key;
  return spec;
}

inline Hold HoldOf(const Task& task) { return {.worker = task.worker, .id = task.spec.id, .attempt = task.attempt}; }

inline std::vector<std::string> Ids(const std::vector<Task>& tasks) {
  std::vector<std::string> ids;
  for (const Task& task : tasks) ids.push_back(task.spec.id);
  return ids;
}

}  // namespace kgym::service
