// Lanes that hold each task for a while and then say that it was right: for load tests of everything around the judge.
//
// Threads: the worker's executor.
#pragma once

#include <functional>

#include "service/api/lanes.h"
#include "service/http/signal.h"

namespace kgym::service {

class FakeLanes final : public Lanes {
 public:
  /// `hold`: how long a task takes, in three equal stages. `wedge`: after how long, on average, one of the lanes falls
  /// ill for a second, with what it runs; 0: never.
  FakeLanes(Executor executor, int lanes, Duration hold, Duration wedge)
      : executor_(executor), lanes_(lanes), hold_(hold), wedge_(wedge), closing_(executor) {}

  Awaitable<Result<std::vector<LaneInfo>>> Start() override;
  Awaitable<Ran> Run(std::size_t lane, const Task& task, bool last,
                     std::function<void(std::string_view)> stage) override;
  void WatchHealth(std::function<void(std::size_t lane, const std::string& illness)> told) override;
  Awaitable<void> Close() override;

 private:
  Awaitable<void> FallIll(std::function<void(std::size_t lane, const std::string& illness)> told);
  /// False where the lanes close meanwhile.
  Awaitable<bool> Pass(Duration duration);

  Executor executor_;
  int lanes_;
  Duration hold_;
  Duration wedge_;
  http::Signal closing_;
  bool closed_ = false;
};

}  // namespace kgym::service
