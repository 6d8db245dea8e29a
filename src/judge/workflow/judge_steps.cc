#include "judge/workflow/judge_steps.h"

#include "base/text.h"

namespace kgym::judge {
namespace {

StepRecord Failed(Outcome outcome, std::string reason) {
  StepRecord record;
  record.state = StepRecord::State::kFailed;
  record.outcome = outcome;
  record.reason = std::move(reason);
  return record;
}

/// Whatever the verdict is, the step has done its work; but for our own fault.
StepRecord RecordOf(const Verdict& verdict) {
  if (verdict.outcome == Outcome::kInfra) return Failed(Outcome::kInfra, verdict.reason);
  const Json json = verdict.ToJson();
  StepRecord record;
  record.state = StepRecord::State::kOk;
  record.outcome = Outcome::kOk;
  record.output = {{"ok", verdict.outcome == Outcome::kOk},
                   {"outcome", ToString(verdict.outcome)},
                   {"reason", verdict.reason},
                   {"speedup", json["speedup"]},
                   {"reference_ms", json["reference_ms"]},
                   {"candidate_ms", json["candidate_ms"]},
                   {"verdict", json}};
  return record;
}

std::string BackendFault(const Judge& judge, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [one, facts] : judge.backends().items()) known.push_back(one);
  if (!judge.backends().contains(name))
    return Concat("unknown backend '", name, "'", DidYouMean(name, known), "; known: ", Join(known, ", "));
  const Json& facts = judge.backends()[name];
  if (!facts.value("runs", true)) return Concat("backend '", name, "' does not run on this device");
  const Json missing = facts.value("missing", Json::array());
  return missing.empty() ? "" : Concat("backend '", name, "' needs ", DumpJson(missing), ", which is not there");
}

}  // namespace

Awaitable<StepRecord> JudgeSteps::Run(const Step& step, Json input) {
  if (step.toolkit == kEvaluateStep) co_return co_await Evaluate(step, std::move(input));
  co_return co_await judge_.toolbox().Run(step, input);
}

Result<Problem> JudgeSteps::ProblemOf(const Json& input) {
  Problem problem;
  problem.name = input["problem"].get<std::string>();
  if (input["problem_source"].is_string()) {
    problem.source = input["problem_source"].get<std::string>();
    if (problem.name.empty()) problem.name = "own";
  } else {
    if (!suite_) {
      KGYM_TRY(suite_, Suite::Open(SuiteKind::kBuiltIn, root_));
    }
    KGYM_TRY(problem, suite_->Load(problem.name));
  }
  const bool on_gpu = judge_.config().on_gpu();
  problem.workload = input["workload"].is_string() ? input["workload"].get<std::string>() : on_gpu ? "gpu" : "cpu";
  problem.sizes = input["sizes"];
  return problem;
}

Awaitable<StepRecord> JudgeSteps::Evaluate(const Step& step, Json input) {
  Result<Json> complete = Complete(EvaluateSignature().input, std::move(input), "its input");
  if (!complete.ok()) co_return Failed(Outcome::kFailFormat, complete.error().message);
  Result<Problem> problem = ProblemOf(*complete);
  if (!problem.ok()) co_return Failed(Outcome::kFailFormat, problem.error().message);
  Submission submission{step.name, (*complete)["source"].get<std::string>(), (*complete)["backend"].get<std::string>(),
                        (*complete)["entry"].get<std::string>()};
  if (std::string fault = BackendFault(judge_, submission.backend); !fault.empty())
    co_return Failed(Outcome::kFailFormat, std::move(fault));
  const Instant start = std::chrono::steady_clock::now();
  const Judged judged = co_await judge_.Evaluate(std::move(*problem), std::move(submission));
  if (const auto* fault = std::get_if<ProblemFault>(&judged)) co_return Failed(Outcome::kFailLoad, fault->message);
  StepRecord record = RecordOf(std::get<Verdict>(judged));
  record.wall_ms = ToMs(std::chrono::steady_clock::now() - start);
  co_return record;
}

}  // namespace kgym::judge
