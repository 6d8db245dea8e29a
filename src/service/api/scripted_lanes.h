// Lanes for the worker's tests, whose tasks end when the test says so.
//
// Threads: the worker's executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "service/api/lanes.h"

namespace kgym::service {

/// Runs a task until the test lets it end, or somebody cancels it.
class ScriptedLanes final : public Lanes {
 public:
  ScriptedLanes(Executor executor, int slots) : executor_(std::move(executor)), slots_(slots) {}

  Awaitable<Result<std::vector<LaneInfo>>> Start() override {
    if (!fault.empty()) co_return Error{fault};
    std::vector<LaneInfo> lanes(1);
    lanes[0].name = "lane";
    lanes[0].slots = slots_;
    co_return lanes;
  }

  Awaitable<Ran> Run(std::size_t, const Task& task, bool last, std::function<void(std::string_view)> stage) override {
    started.push_back(task.spec.id);
    was_last = last;
    stage("checking");
    struct Leaving {
      ~Leaving() { left.push_back(id); }
      std::vector<std::string>& left;
      std::string id;
    } leaving{left, task.spec.id};
    Event& end = EndOf(task.spec.id);
    co_await end.Wait();
    co_return answer;
  }

  void WatchHealth(std::function<void(std::size_t lane, const std::string& illness)> told) override {
    health = std::move(told);
  }

  std::optional<Waiting> Pick(const Task& task) const override {
    return picky ? std::nullopt : std::optional(WaitingOf(task));
  }

  Awaitable<void> Close() override { co_return; }

  void End(const std::string& id) { EndOf(id).Set(); }

  Ran answer = {true, R"({"verdict":{"outcome":"ok","reason":"","speedup":2.0}})"};
  std::string fault;
  std::function<void(std::size_t lane, const std::string& illness)> health;
  std::vector<std::string> started, left;
  bool was_last = false;
  bool picky = false;  // It has a use for nothing.

 private:
  Event& EndOf(const std::string& id) {
    auto& end = ends_[id];
    if (!end) end = std::make_unique<Event>(executor_);
    return *end;
  }

  Executor executor_;
  int slots_;
  std::map<std::string, std::unique_ptr<Event>> ends_;
};

}  // namespace kgym::service
