// A worker on an embedded queue, with lanes whose tasks end when the test says so.
#include "service/api/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "base/files.h"
#include "service/api/feed.h"
#include "service/api/scripted_lanes.h"
#include "service/queue/sqlite_queue.h"

namespace kgym::service {
namespace {

using ::testing::ElementsAre;

/// A queue whose first answer to a lease is lost on the way.
class LossyQueue final : public WorkQueue {
 public:
  explicit LossyQueue(WorkQueue& queue) : queue_(queue) {}

  Awaitable<Result<std::vector<Task>>> Lease(std::string worker, std::vector<Want> wants, Duration lease) override {
    Result<std::vector<Task>> leased = co_await queue_.Lease(std::move(worker), std::move(wants), lease);
    if (std::exchange(lost_, true)) co_return leased;
    co_return Error{"the connection was lost"};
  }
  Awaitable<Result<std::vector<Hold>>> Extend(std::vector<Hold> holds, std::string stage) override {
    return queue_.Extend(std::move(holds), std::move(stage));
  }
  Awaitable<Result<Told>> Complete(Hold hold, std::string result) override {
    return queue_.Complete(std::move(hold), std::move(result));
  }
  Awaitable<Result<Told>> HandBack(Hold hold) override { return queue_.HandBack(std::move(hold)); }
  Awaitable<Result<Told>> Fail(Hold hold, std::string reason) override {
    return queue_.Fail(std::move(hold), std::move(reason));
  }
  std::unique_ptr<Subscription> Watch(Executor executor, std::function<void(const Changes&)> callback) override {
    return queue_.Watch(std::move(executor), std::move(callback));
  }

 private:
  WorkQueue& queue_;
  bool lost_ = false;
};

class WorkerTest : public testing::Test {
 protected:
  void Open(int slots = 1, bool lossy = false) {
    queue_ = OpenSqliteQueue({.path = folder_.path() / "queue.sqlite"}).value();
    lossy_ = std::make_unique<LossyQueue>(*queue_);
    lanes_ = std::make_unique<ScriptedLanes>(io_.get_executor(), slots);
    WorkQueue& queue = lossy ? static_cast<WorkQueue&>(*lossy_) : *queue_;
    worker_ = std::make_unique<Worker>(io_.get_executor(), queue, *lanes_, WorkerOptions{});
    feed_ = std::make_unique<Feed>(io_.get_executor(), *queue_);
  }

  /// Runs `body` beside the worker, and drains the worker afterwards.
  void Live(std::function<Awaitable<void>()> body) {
    const auto all = [&]() -> Awaitable<void> {
      co_await body();
      worker_->Drain(patience_);
    };
    Spawn(io_.get_executor(), worker_->Run());
    Spawn(io_.get_executor(), all());
    io_.run();
  }

  Awaitable<void> Submit(std::string id, int attempts = 3) {
    TaskSpec spec;
    spec.id = std::move(id);
    spec.tenant = "alice";
    spec.payload = "{}";
    spec.max_attempts = attempts;
    std::vector<TaskSpec> specs = {std::move(spec)};
    const auto accepted = co_await queue_->Submit(std::move(specs));
    EXPECT_TRUE(accepted.ok());
  }

  /// Waits until a task satisfies `holds`.
  Awaitable<Task> Until(std::string id, std::function<bool(const Task&)> holds) {
    http::Signal signal(io_.get_executor());
    Follower follower(*feed_, id, signal);
    for (;;) {
      Result<std::optional<Task>> task = co_await queue_->Get(id);
      if (task.ok() && *task && holds(**task)) co_return **task;
      co_await signal.WaitUntil(Instant::max());
    }
  }
  Awaitable<Task> UntilStage(std::string id, int attempt = 1) {
    std::function<bool(const Task&)> holds = [attempt](const Task& task) {
      return task.stage == "checking" && task.attempt == attempt;
    };
    co_return co_await Until(std::move(id), std::move(holds));
  }
  Awaitable<Task> UntilEnd(std::string id) {
    std::function<bool(const Task&)> holds = [](const Task& task) { return Ended(task.state); };
    co_return co_await Until(std::move(id), std::move(holds));
  }

  TempDir folder_ = TempDir::Create("worker").value();
  boost::asio::io_context io_{1};
  Duration patience_ = 0s;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<LossyQueue> lossy_;
  std::unique_ptr<ScriptedLanes> lanes_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Feed> feed_;
};

TEST_F(WorkerTest, RunsATaskToItsResult) {
  Open();
  Live([this]() -> Awaitable<void> {
    co_await Submit("a");
    co_await UntilStage("a");
    lanes_->End("a");
    const Task done = co_await UntilEnd("a");
    EXPECT_EQ(done.state, TaskState::kDone);
    EXPECT_EQ(done.result, lanes_->answer.text);
    EXPECT_EQ(done.lane, "lane");
  });
  const auto view = worker_->view();
  EXPECT_EQ(view->state, WorkerView::State::kGone);
  EXPECT_EQ(view->lanes[0].done, 1);
  EXPECT_EQ(view->lanes[0].running, 0);
}

TEST_F(WorkerTest, SharesALaneUpToItsSlots) {
  Open(2);
  Live([this]() -> Awaitable<void> {
    co_await Submit("a");
    co_await Submit("b");
    co_await Submit("c");
    co_await UntilStage("a");
    co_await UntilStage("b");
    EXPECT_THAT(lanes_->started, ElementsAre("a", "b"));
    lanes_->End("b");
    co_await UntilStage("c");
    for (const char* id : {"a", "c"}) lanes_->End(id);
    co_await UntilEnd("a");
    co_await UntilEnd("c");
  });
}

TEST_F(WorkerTest, ACancelStopsTheWorkAndFreesTheLane) {
  Open();
  Live([this]() -> Awaitable<void> {
    co_await Submit("a");
    co_await Submit("b");
    co_await UntilStage("a");
    const auto cancelled = co_await queue_->Cancel("a");
    EXPECT_EQ((*cancelled)->state, TaskState::kCancelled);
    co_await UntilStage("b");
    EXPECT_THAT(lanes_->left, ElementsAre("a"));
    lanes_->End("b");
    co_await UntilEnd("b");
  });
  EXPECT_EQ(worker_->view()->stopped, 1);
}

TEST_F(WorkerTest, AFailureIsTriedAgainUntilTheLast) {
  Open();
  lanes_->answer = {false, "the card was gone"};
  Live([this]() -> Awaitable<void> {
    co_await Submit("a", 2);
    co_await UntilStage("a");
    EXPECT_FALSE(lanes_->was_last);
    lanes_->End("a");
    const Task dead = co_await UntilEnd("a");
    EXPECT_TRUE(lanes_->was_last);
    EXPECT_EQ(dead.state, TaskState::kDead);
    EXPECT_EQ(dead.attempt, 2);
    EXPECT_THAT(dead.reason, ::testing::HasSubstr("the card was gone"));
  });
}

TEST_F(WorkerTest, ADrainHandsBack) {
  Open();
  Live([this]() -> Awaitable<void> {
    co_await Submit("a", 1);
    co_await UntilStage("a");
  });
  EXPECT_THAT(lanes_->left, ElementsAre("a"));
  EXPECT_EQ(worker_->view()->returned, 1);
  std::optional<Task> task;
  const auto look = [&]() -> Awaitable<void> { task = (co_await queue_->Get("a")).value(); };
  io_.restart();
  Spawn(io_.get_executor(), look());
  io_.run();
  EXPECT_EQ(task->state, TaskState::kQueued);
  EXPECT_EQ(task->handed_back, 1);
}

TEST_F(WorkerTest, ADrainWaitsForWhatEnds) {
  Open();
  patience_ = 1h;
  Live([this]() -> Awaitable<void> {
    co_await Submit("a");
    co_await UntilStage("a");
    worker_->Drain(1h);
    lanes_->End("a");
    EXPECT_EQ((co_await UntilEnd("a")).state, TaskState::kDone);
  });
  EXPECT_EQ(worker_->view()->returned, 0);
}

TEST_F(WorkerTest, WhatAnEarlierProcessRanIsQueuedAgain) {
  Open();
  const auto lease = [this]() -> Awaitable<void> {
    co_await Submit("a");
    std::vector<Want> wants = {{"a", "lane"}};
    const auto leased = co_await queue_->Lease("local", std::move(wants), 1h);
    EXPECT_EQ(leased->size(), 1);
  };
  Spawn(io_.get_executor(), lease());
  io_.run();
  io_.restart();
  Live([this]() -> Awaitable<void> {
    co_await UntilStage("a", 2);
    lanes_->End("a");
    co_await UntilEnd("a");
  });
}

TEST_F(WorkerTest, WhatItWasNotToldThatItHoldsIsHandedBack) {
  Open(1, true);
  Live([this]() -> Awaitable<void> {
    co_await Submit("a", 1);
    const Task task = co_await UntilStage("a", 2);
    EXPECT_EQ(task.handed_back, 1);
    lanes_->End("a");
    EXPECT_EQ((co_await UntilEnd("a")).state, TaskState::kDone);
  });
}

TEST_F(WorkerTest, AnIllLaneGetsNothingUntilItWorksAgain) {
  Open();
  Live([this]() -> Awaitable<void> {
    co_await Submit("a");
    co_await UntilStage("a");
    lanes_->End("a");
    co_await UntilEnd("a");
    lanes_->health(0, "the card is gone");
    const SharedWorkerView ill = worker_->view();
    EXPECT_EQ(LaneState(*ill, ill->lanes[0]), "quarantined");
    EXPECT_EQ(ill->lanes[0].fault, "the card is gone");
    co_await Submit("b");
    co_await Submit("c");
    co_await queue_->Cancel("b");
    co_await UntilEnd("b");
    EXPECT_THAT(lanes_->started, ElementsAre("a"));
    lanes_->health(0, "");
    co_await UntilStage("c");
    lanes_->End("c");
    co_await UntilEnd("c");
    const SharedWorkerView well = worker_->view();
    EXPECT_EQ(LaneState(*well, well->lanes[0]), "ready");
  });
  EXPECT_THAT(lanes_->started, ElementsAre("a", "c"));
}

TEST_F(WorkerTest, WhatAnIllLaneHadBeenGivenGoesElsewhere) {
  Open();
  Worker other(io_.get_executor(), *queue_, *lanes_, WorkerOptions{.name = "other"});
  Live([&, this]() -> Awaitable<void> {
    co_await Submit("a", 1);
    co_await UntilStage("a");
    lanes_->health(0, "the card is gone");
    std::function<bool(const Task&)> back = [](const Task& task) { return task.state == TaskState::kQueued; };
    const Task queued = co_await Until("a", std::move(back));
    EXPECT_EQ(queued.handed_back, 1);
    Spawn(io_.get_executor(), other.Run());
    const Task again = co_await UntilStage("a", 2);
    EXPECT_EQ(again.worker, "other");
    lanes_->End("a");
    EXPECT_EQ((co_await UntilEnd("a")).state, TaskState::kDone);
    other.Drain(0s);
  });
  EXPECT_EQ(worker_->view()->returned, 1);
  EXPECT_EQ(worker_->view()->lanes[0].done, 0);
}

TEST_F(WorkerTest, WhatMeetsIllLanesAgainAndAgainIsDeadInTheEnd) {
  Open();
  Live([this]() -> Awaitable<void> {
    co_await Submit("a", 1);
    for (int attempt = 1; attempt <= 6; ++attempt) {
      co_await UntilStage("a", attempt);
      lanes_->health(0, "it fell off the bus");
      lanes_->health(0, "");
    }
    const Task dead = co_await UntilEnd("a");
    EXPECT_EQ(dead.state, TaskState::kDead);
    EXPECT_EQ(dead.handed_back, 5);
    EXPECT_THAT(dead.reason, ::testing::HasSubstr("lane lane fell ill while it ran: it fell off the bus"));
  });
}

TEST_F(WorkerTest, WhatIsForAnotherLaneGoesBackUncounted) {
  Open();
  lanes_->answer = {.back = true};
  Live([this]() -> Awaitable<void> {
    co_await Submit("a", 1);
    co_await UntilStage("a");
    lanes_->picky = true;
    lanes_->End("a");
    std::function<bool(const Task&)> back = [](const Task& task) { return task.state == TaskState::kQueued; };
    const Task queued = co_await Until("a", std::move(back));
    EXPECT_EQ(queued.handed_back, 1);
    EXPECT_EQ(queued.lane, "lane");  // By which lanes that only build know that it was built.
    co_await Submit("b");
    co_await queue_->Cancel("b");
    co_await UntilEnd("b");
    EXPECT_THAT(lanes_->started, ElementsAre("a"));
    lanes_->picky = false;
    worker_->LookAgain();
    lanes_->answer = {true, "{}"};
    EXPECT_EQ((co_await UntilEnd("a")).attempt, 2);
  });
}

TEST_F(WorkerTest, LanesThatDoNotStartAreTold) {
  Open();
  lanes_->fault = "no Python here";
  Live([]() -> Awaitable<void> { co_return; });
  EXPECT_EQ(worker_->view()->fault, "no Python here");
}

TEST_F(WorkerTest, TheFeedKnowsPositionsAndOutcomes) {
  Open();
  Live([this]() -> Awaitable<void> {
    for (const char* id : {"a", "b", "c"}) {
      std::string name = id;
      co_await Submit(std::move(name));
    }
    co_await UntilStage("a");
    const Task last = feed_->live().at("c");
    EXPECT_EQ(feed_->Position(last), 2);
    EXPECT_EQ(feed_->Position(feed_->live().at("a")), std::nullopt);
    for (const char* id : {"a", "b", "c"}) lanes_->End(id);
    co_await UntilEnd("c");
  });
  io_.restart();
  io_.run();  // What came of the last one is looked at behind it.
  EXPECT_EQ(feed_->counts().outcomes.at("ok"), 3);
  EXPECT_EQ(feed_->endings().front().note->speedup, 2.0);
  EXPECT_TRUE(feed_->live().empty());
}

}  // namespace
}  // namespace kgym::service
