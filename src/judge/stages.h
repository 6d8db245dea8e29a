// What an evaluation goes through on a lane, between hosts that are there: the submission is loaded, its answers are
// compared, its work is looked at, its calls are timed, and at last it is seen whether it left all as it was. The first
// ruling ends it.
//
// Threads: the lane's executor.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "judge/baseline.h"
#include "judge/build.h"
#include "judge/lane.h"
#include "judge/problem.h"
#include "judge/session.h"
#include "judge/timing.h"
#include "judge/verdict.h"

namespace kgym::judge {

/// What there is beside the session.
struct StageGround {
  Lane& lane;
  const Baselines& baselines;
  bool speed = false;                          // Whether times of the submission's backend mean something on this lane.
  std::function<void(std::string_view)> tell;  // Called with "timing" when that begins; may be empty.
};

class Stages {
 public:
  /// All must outlive it. What is found goes into `verdict`, also where a ruling ends it early.
  Stages(Session& session, const Problem& problem, const Submission& submission, StageGround ground, Verdict& verdict);

  /// An error is the judge's own fault. Without a ruling the verdict says `ok`.
  Awaitable<Result<MaybeRuling>> Run(Artefacts artefacts);

 private:
  Awaitable<Result<MaybeRuling>> Load(const Artefacts& artefacts);
  Awaitable<Result<MaybeRuling>> Check();
  Awaitable<Result<MaybeRuling>> Observe();
  Awaitable<Result<MaybeRuling>> Settle();
  Awaitable<Result<MaybeRuling>> Time();
  Awaitable<Result<MaybeRuling>> LookLast();
  Awaitable<Result<MaybeRuling>> MeasureCompiled();
  Awaitable<Result<MaybeRuling>> MeasureReplays();

  Awaitable<Ruling> Excuse(Ruling ruling);
  Awaitable<Result<double>> CompiledMs(double eager_ms);
  void NoteTimes(const Measurement& measurement);
  void Done(const char* stage);

  Session& session_;
  const JudgeConfig& config_;
  const Problem& problem_;
  const Submission& submission_;
  StageGround ground_;
  Verdict& verdict_;
  Instant since_;             // When the stage began.
  std::string state_;         // How the reference's weights were taken over.
  Duration shortest_call_{};  // Of those that were compared.
};

}  // namespace kgym::judge
