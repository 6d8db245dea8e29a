// Lanes that hold each task for a while and then say that it was right: for load tests of everything around the judge.
//
// Threads: the worker's executor.
#pragma once

#include "service/api/lanes.h"

namespace kgym::service {

class FakeLanes final : public Lanes {
 public:
  /// `hold`: how long a task takes, in three equal stages.
  FakeLanes(int lanes, Duration hold) : lanes_(lanes), hold_(hold) {}

  Awaitable<Result<std::vector<LaneInfo>>> Start() override;
  Awaitable<Ran> Run(std::size_t lane, const Task& task, bool last,
                     std::function<void(std::string_view)> stage) override;
  Awaitable<void> Close() override { co_return; }

 private:
  int lanes_;
  Duration hold_;
};

}  // namespace kgym::service
