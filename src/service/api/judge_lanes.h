// The lanes of this machine: a judge for each device.
//
// Threads: the worker's executor, on which the judges run.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "judge/judge.h"
#include "service/api/lanes.h"

namespace kgym::service {

class JudgeLanes final : public Lanes {
 public:
  /// One configuration for each device. `slots`: evaluations that a judge is given at once; their builds overlap, and
  /// how many share the device is the judge's own affair. 0: as many as suit the device. `depot`: builds of other
  /// machines; may be null, must outlive it. `suite`: the built-in suite's folder, for workflows that evaluate; empty:
  /// where it usually is.
  JudgeLanes(Executor executor, std::vector<judge::JudgeConfig> configs, int slots, judge::BuildDepot* depot = nullptr,
             std::string suite = "")
      : executor_(std::move(executor)),
        configs_(std::move(configs)),
        slots_(slots),
        depot_(depot),
        suite_(std::move(suite)) {}

  Awaitable<Result<std::vector<LaneInfo>>> Start() override;
  Awaitable<Ran> Run(std::size_t lane, const Task& task, bool last,
                     std::function<void(std::string_view)> stage) override;
  void WatchHealth(std::function<void(std::size_t lane, const std::string& illness)> told) override;
  Awaitable<void> Close() override;

 private:
  LaneInfo Describe(judge::Judge& judge) const;
  Awaitable<Ran> Evaluate(judge::Judge& judge, const Task& task, bool last,
                          std::function<void(std::string_view)> stage);

  Executor executor_;
  std::vector<judge::JudgeConfig> configs_;
  int slots_;
  judge::BuildDepot* depot_;
  std::string suite_;
  std::vector<std::unique_ptr<judge::Judge>> judges_;
};

}  // namespace kgym::service
