// The steps of a workflow on a judge: toolkits in its hosts, `evaluate` as its own evaluation.
//
// Threads: the judge's executor.
#pragma once

#include <optional>
#include <string>

#include "judge/judge.h"
#include "judge/suite.h"
#include "judge/workflow/workflow_run.h"

namespace kgym::judge {

class JudgeSteps final : public StepRunner {
 public:
  /// `judge` must outlive it. `root`: of the built-in suite, as Suite::Open() takes it.
  JudgeSteps(Judge& judge, std::string root) : judge_(judge), root_(std::move(root)) {}

  Awaitable<StepRecord> Run(const Step& step, Json input) override;

 private:
  Awaitable<StepRecord> Evaluate(const Step& step, Json input);
  Result<Problem> ProblemOf(const Json& input);

  Judge& judge_;
  std::string root_;
  std::optional<Suite> suite_;  // Opened when it is first needed.
};

}  // namespace kgym::judge
