// The two queues do the same: one long random life, led on both at once, and compared at each step.
#include <gtest/gtest.h>

#include <random>

#include "service/queue/queue_fixture.h"
#include "service/queue/queue_places.h"

namespace kgym::service {
namespace {

// All of a task but its dates, which are the queue's own.
std::string Text(const Task& task) {
  return Concat(task.spec.id, " ", Name(task.state), " p", task.spec.priority, " #", task.sequence, " ", task.attempt,
                "-", task.handed_back, " ", task.worker, "/", task.lane, " ", task.stage, " ", task.spec.payload, " ",
                task.result, " (", task.reason, ") ", task.attached_to);
}

std::string Text(const std::optional<Task>& task) { return task ? Text(*task) : "none"; }

std::string Text(const QueueStats& stats) {
  std::string text;
  for (const std::int64_t number : stats.by_state) text += Concat(number, " ");
  for (const std::int64_t number : stats.queued_by_priority) text += Concat(number, " ");
  for (const std::int64_t number : stats.ended) text += Concat(number, " ");
  return text + Concat(stats.attached, " ", stats.accepted, " ", stats.redelivered, " ", stats.stale);
}

// Draws steps; two of one seed draw the same.
class Life {
 public:
  Life(unsigned seed, Driver& queue, FakeClock& clock, std::int64_t start_ms)
      : random_(seed), queue_(queue), clock_(clock), start_ms_(start_ms) {}

  std::string Step() {
    switch (Draw(12)) {
      case 0:
      case 1:
      case 2:
        return Submit();
      case 3:
      case 4:
        return Concat("lease ", Text(queue_.Lease(Id(), Worker(), 100s)));
      case 5:
        return Concat("extend ", queue_.Extend({AnyHold(), AnyHold()}, Draw(2) == 0 ? "" : "checking").size());
      case 6:
      case 7:
        return Concat("complete ", static_cast<int>(queue_.Complete(AnyHold(), Concat("{\"n\":", Draw(1000), "}"))));
      case 8:
        return Concat("back ", static_cast<int>(queue_.HandBack(AnyHold())));
      case 9:
        return Concat("fail ", static_cast<int>(queue_.Fail(AnyHold(), Concat("reason ", Draw(10)))));
      case 10:
        return Draw(4) == 0 ? Concat("cancel ", Text(queue_.Cancel(Id()))) : Concat("get ", Text(queue_.Find(Id())));
      default:
        return Draw(3) == 0 ? Pass() : Look();
    }
  }

 private:
  int Draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::string Id() { return Concat("t", Draw(40)); }
  std::string Worker() { return Concat("w", Draw(2)); }
  Hold AnyHold() {
    // Mostly the one that is held.
    const std::optional<Task> task = queue_.Find(Id());
    if (!task || Draw(5) == 0) return {.worker = Worker(), .id = Id(), .attempt = Draw(3)};
    return HoldOf(*task);
  }

  std::string Submit() {
    TaskSpec spec = Spec(Id());
    spec.tenant = Concat("tenant", Draw(2));
    spec.run = Concat("run", Draw(3));
    spec.priority = Draw(3);
    spec.max_attempts = 1 + Draw(3);
    if (Draw(2) == 0) spec.content_key = Concat("key", Draw(4));
    if (Draw(4) == 0) spec.labels["card"] = "H100";
    // Between two steps of the clock, so that it is past for both or for neither.
    if (Draw(4) == 0) spec.deadline_ms = start_ms_ + passed_ms_ + 60'000 * (1 + Draw(4)) + 30'000;
    spec.dedup = Draw(8) != 0;
    const Accepted accepted = queue_.SubmitOne(spec);
    return Concat("submit ", static_cast<int>(accepted.kind), " ", accepted.reason, " ", Text(accepted.task));
  }

  std::string Pass() {
    const int before = queue_.Expire();
    clock_.Advance(60s);
    passed_ms_ += 60'000;
    const int after = queue_.Expire();
    return Concat("pass ", before, " ", after, " forgot ", Draw(3) == 0 ? queue_.Forget({.age = 5min}) : 0);
  }

  std::string Look() {
    ListFilter filter;
    if (Draw(2) == 0) filter.state = static_cast<TaskState>(Draw(static_cast<int>(kTaskStates)));
    if (Draw(2) == 0) filter.tenant = Concat("tenant", Draw(2));
    if (Draw(2) == 0) filter.run = Concat("run", Draw(3));
    std::string text = Concat("stats ", Text(queue_.Stats()), " list");
    ListPage page;
    do {
      page = queue_.List(filter, page.next, 1 + Draw(5));
      for (const Task& task : page.tasks) text += "\n  " + Text(task);
    } while (!page.next.empty());
    return text;
  }

  std::mt19937 random_;
  Driver& queue_;
  FakeClock& clock_;
  std::int64_t start_ms_;
  std::int64_t passed_ms_ = 0;
};

TEST(QueueAgreement, ARandomLifeIsTheSameOnAllQueues) {
  boost::asio::io_context context;
  for (const unsigned seed : {1u, 2u, 3u}) {
    std::vector<std::unique_ptr<Place>> places;
    std::vector<std::unique_ptr<FakeClock>> clocks;
    std::vector<std::unique_ptr<Driver>> queues;
    std::vector<std::unique_ptr<Life>> lives;
    std::int64_t start_ms = 0;
    for (const PlaceMaker& maker : PlaceMakers()) {
      Result<std::unique_ptr<Place>> place = maker.make();
      if (!place) GTEST_SKIP() << place.error().message;
      places.push_back(std::move(*place));
      clocks.push_back(std::make_unique<FakeClock>());
      queues.push_back(std::make_unique<Driver>(context));
      const Bounds bounds{.queued = 16, .queued_per_tenant = 10};
      queues.back()->Use(std::move(places.back()->Open(*clocks.back(), bounds)).value());
      if (start_ms == 0) start_ms = queues.back()->SubmitOne(Spec("first")).task.submitted_ms;
      queues.back()->SubmitOne(Spec("first"));
      lives.push_back(std::make_unique<Life>(seed, *queues.back(), *clocks.back(), start_ms));
    }
    for (int step = 0; step < 600; ++step) {
      const std::string expected = lives.front()->Step();
      for (std::size_t i = 1; i < lives.size(); ++i) {
        ASSERT_EQ(lives[i]->Step(), expected) << "seed " << seed << " step " << step;
      }
    }
  }
}

}  // namespace
}  // namespace kgym::service
