// The lane of a worker that only builds: it takes a task that waits for a lane elsewhere, builds what it needs, offers
// that to whoever will judge it, and hands the task back as if it had not been tried.
//
// It takes what some lane of the server's workers may judge whose builds it could have made (judge::BuildMark()), once
// a task: one that was held last by a lane that builds is left to the others. A build that fails is left to them too,
// since it is a judge that gives verdicts.
//
// Threads: the worker's executor.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "judge/builder.h"
#include "service/api/build_target.h"
#include "service/api/lanes.h"

namespace kgym::service {

class BuildLanes final : public Lanes {
 public:
  /// `arch`: see judge::Builder. `slots`: tasks at once; 0: `judge.build_jobs`. `depot` must outlive it.
  BuildLanes(Executor executor, judge::JudgeConfig config, std::string arch, int slots, judge::BuildDepot& depot)
      : executor_(std::move(executor)),
        config_(std::move(config)),
        arch_(std::move(arch)),
        slots_(slots),
        depot_(depot) {}

  Awaitable<Result<std::vector<LaneInfo>>> Start() override;
  Awaitable<Ran> Run(std::size_t lane, const Task& task, bool last,
                     std::function<void(std::string_view)> stage) override;
  std::optional<Waiting> Pick(const Task& task) const override;
  Awaitable<void> Close() override;

  /// What the server says of its workers' lanes (BuildTargetsJson). True where what waits must be looked at again.
  bool Learn(const std::string& targets);

 private:
  Executor executor_;
  judge::JudgeConfig config_;
  std::string arch_;
  int slots_;
  judge::BuildDepot& depot_;
  std::unique_ptr<judge::Builder> builder_;
  std::string learnt_;
  std::set<Labels> served_;  // Labels of the lanes that its builds are for.
};

}  // namespace kgym::service
