// What a worker does about tasks that run under its name, or that of a process before it, and that it does not have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "service/api/scripted_lanes.h"
#include "service/api/worker.h"

namespace kgym::service {
namespace {

using ::testing::ElementsAre;

Task RunningTask(std::string id) {
  Task task;
  task.spec.id = std::move(id);
  task.state = TaskState::kRunning;
  task.worker = WorkerOptions{}.name;
  task.attempt = 1;
  return task;
}

/// A queue that says what the test lets it say.
class StubQueue final : public WorkQueue {
 public:
  explicit StubQueue(const Executor& executor) : asked(executor), answered(executor) {}

  Awaitable<Result<std::vector<Task>>> Lease(std::string, std::vector<Want>, Duration) override {
    asked.Set();
    co_await answered.Wait();
    co_return leased;
  }
  Awaitable<Result<std::vector<Hold>>> Extend(std::vector<Hold>, std::string) override {
    co_return std::vector<Hold>();
  }
  Awaitable<Result<Told>> Complete(Hold, std::string) override { co_return Told::kStored; }
  Awaitable<Result<Told>> HandBack(Hold hold) override {
    handed_back.push_back(hold.id);
    co_return Told::kStored;
  }
  Awaitable<Result<Told>> Fail(Hold hold, std::string) override {
    failed.push_back(hold.worker + ": " + hold.id);
    co_return Told::kStored;
  }
  std::unique_ptr<Subscription> Watch(Executor, std::function<void(const Changes&)> callback) override {
    tell = std::move(callback);
    return std::make_unique<Subscription>();
  }

  Event asked, answered;  // A lease.
  Result<std::vector<Task>> leased = std::vector<Task>();
  std::vector<std::string> handed_back, failed;
  std::function<void(const Changes&)> tell;
};

/// The queue starts its story anew while a lease is asked for. `leased`: what that gets.
std::vector<std::string> HandedBack(Result<std::vector<Task>> leased) {
  boost::asio::io_context io{1};
  StubQueue queue(io.get_executor());
  queue.leased = std::move(leased);
  ScriptedLanes lanes(io.get_executor(), 1);
  Worker worker(io.get_executor(), queue, lanes, WorkerOptions{});
  const auto story = [&]() -> Awaitable<void> {
    co_await boost::asio::post(io, boost::asio::use_awaitable);  // The worker watches.
    Task waits;
    waits.spec.id = "b";
    queue.tell({true, {waits}});
    co_await queue.asked.Wait();
    queue.tell({true, {waits, RunningTask("a"), RunningTask("b")}});
    EXPECT_TRUE(queue.handed_back.empty());
    queue.answered.Set();
    lanes.End("b");
    worker.Drain(1s);
  };
  Spawn(io.get_executor(), worker.Run());
  Spawn(io.get_executor(), story());
  io.run();
  return queue.handed_back;
}

TEST(Worker, WhatAProcessBeforeItRanFailsUnderThatName) {
  boost::asio::io_context io{1};
  StubQueue queue(io.get_executor());
  ScriptedLanes lanes(io.get_executor(), 1);
  Worker worker(io.get_executor(), queue, lanes, WorkerOptions{.name = "new", .before = {"older", "old"}});
  const auto story = [&]() -> Awaitable<void> {
    co_await boost::asio::post(io, boost::asio::use_awaitable);  // The worker watches.
    Task old = RunningTask("a"), older = RunningTask("c"), other = RunningTask("b");
    old.worker = "old";
    older.worker = "older";
    other.worker = "other";
    queue.tell({true, {old, other, older}});
    worker.Drain(1s);
  };
  Spawn(io.get_executor(), worker.Run());
  Spawn(io.get_executor(), story());
  io.run();
  EXPECT_THAT(queue.failed, ElementsAre("old: a", "older: c"));
  EXPECT_THAT(queue.handed_back, ElementsAre());
}

TEST(Worker, WhatItWasNeverToldOfIsHandedBackAfterTheLease) {
  EXPECT_THAT(HandedBack(std::vector<Task>{RunningTask("b")}), ElementsAre("a"));
  EXPECT_THAT(HandedBack(std::vector<Task>{}), ElementsAre("a", "b"));
  EXPECT_THAT(HandedBack(Error{"the connection was lost"}), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace kgym::service
