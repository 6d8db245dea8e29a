// The judge: from a problem and a submission to a verdict, on this machine.
//
// One judge has one zygote and one CPU lane. Many evaluations may be asked for at once: their builds run side by side,
// their measurements one after the other. An evaluation that fails by our own fault is tried once more with fresh hosts
// before its verdict says `infra`.
//
// Threads: the executor it was made on (which one thread runs).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/async.h"
#include "judge/baseline.h"
#include "judge/build.h"
#include "judge/judge_config.h"
#include "judge/lane.h"
#include "judge/problem.h"
#include "judge/runtime.h"
#include "judge/verdict.h"
#include "judge/workflow/toolbox.h"
#include "judge/zygote.h"

namespace kgym::judge {

/// A verdict, or a problem that cannot be judged.
using Judged = std::variant<Verdict, ProblemFault>;

class Judge {
 public:
  /// Starts the zygote. An error says what is missing on this machine, and what to do. `depot`: where builds of other
  /// machines are asked for; must outlive it.
  static Awaitable<Result<std::unique_ptr<Judge>>> Start(Executor executor, JudgeConfig config,
                                                         BuildDepot* depot = nullptr);

  /// `config`: what this evaluation has otherwise than the judge; its `judge.*` keys, but for inject and
  /// those about whose work it is (require_custom_kernel, allow_library, min_coverage), have no effect. `stage` is
  /// called with what is done next: building, checking, timing.
  Awaitable<Judged> Evaluate(Problem problem, Submission submission, std::optional<JudgeConfig> config = {},
                             std::function<void(std::string_view)> stage = {});

  /// The problem checker's findings, or why the problem does not load. {"findings": [{kind, severity, message,
  /// repair?}], "size": bytes and operations of the problem as it is, or null, "sizes": globals that were made smaller
  /// for the look}
  Awaitable<Result<Json>> Examine(Problem problem, ExamineScale scale = ExamineScale::kAsIs);

  /// Toolkits and workflows, of `judge.extensions`.
  Toolbox& toolbox() { return *toolbox_; }

  /// See Lane::WatchHealth().
  void WatchHealth(std::function<void(const std::string& illness)> told) { lane_->WatchHealth(std::move(told)); }

  /// Ends every process. Needed before the executor stops.
  Awaitable<void> Close();

  /// Versions, cores, sandbox: what every verdict's provenance says of this judge.
  const Json& provenance() const { return provenance_; }
  const Json& backends() const { return backends_; }
  const JudgeConfig& config() const { return config_; }
  const std::string& build_mark() const { return build_mark_; }  // See BuildMark().

 private:
  Judge(Executor executor, JudgeConfig config, Runtime runtime);

  /// One evaluation's fixed part.
  struct Task {
    const Problem& problem;
    const Submission& submission;
    const JudgeConfig& config;
    const std::function<void(std::string_view)>& stage;  // May be empty.
    bool alone = false;                                  // On the lane: with all of the card's memory.

    void Tell(std::string_view name) const {
      if (stage) stage(name);
    }
  };
  Awaitable<Result<Judged>> Guarded(const Task& task);
  Awaitable<Result<Judged>> Attempt(const Task& task);
  /// What an evaluation leaves behind on its lane.
  struct Remains {
    std::unique_ptr<Host> candidate;
    ReferencePool::Lease reference;
    MemoryLedger::Claim memory;
  };
  /// OnLane, and what the card reported meanwhile: an error where it failed itself.
  Awaitable<Result<MaybeRuling>> Watched(const Task& task, Artefacts artefacts, Verdict& verdict, Remains& remains,
                                         std::optional<ProblemFault>& fault);
  Awaitable<Result<MaybeRuling>> OnLane(const Task& task, Artefacts artefacts, Verdict& verdict, Remains& remains,
                                        std::optional<ProblemFault>& fault);

  /// Ends the candidate host, and the reference host too where a fault was ours, then gives the lane back: the verdict
  /// need not wait for it, the next evaluation must.
  Awaitable<void> Retire(Remains remains, bool sound, AsyncSemaphore::Permit lane);

  Executor executor_;
  JudgeConfig config_;
  Runtime runtime_;
  std::unique_ptr<Zygote> zygote_;
  std::unique_ptr<Lane> lane_;
  std::unique_ptr<Toolbox> toolbox_;
  std::unique_ptr<BuildCache> builds_;
  BuildDepot* depot_ = nullptr;
  std::string build_mark_;
  std::unique_ptr<Baselines> baselines_;
  AsyncSemaphore build_turn_;
  Json provenance_ = Json::object();
  Json backends_ = Json::object();
};

/// The folder for builds and baselines: `configured`, $XDG_CACHE_HOME/kgym or ~/.cache/kgym.
std::filesystem::path CacheFolder(const std::string& configured);

}  // namespace kgym::judge
