#include "service/api/workflow_lane.h"

#include <algorithm>

#include "base/text.h"
#include "judge/workflow/judge_steps.h"
#include "service/api/outcome_note.h"
#include "service/api/workflow_request.h"
#include "service/api/workflow_result.h"

namespace kgym::service {
namespace {

/// A judge's steps, each told as it begins.
class ToldSteps final : public judge::StepRunner {
 public:
  ToldSteps(judge::Judge& judge, const std::string& suite, std::function<void(std::string_view)> stage)
      : steps_(judge, suite), stage_(std::move(stage)) {}

  Awaitable<judge::StepRecord> Run(const judge::Step& step, Json input) override {
    stage_(Concat("step:", step.name));
    return steps_.Run(step, std::move(input));
  }

 private:
  judge::JudgeSteps steps_;
  std::function<void(std::string_view)> stage_;
};

std::vector<std::string> NamesOf(judge::Judge& judge) {
  std::vector<std::string> names;
  for (const judge::Workflow& workflow : judge.toolbox().workflows()) names.push_back(workflow.name);
  return names;
}

Ran Fault(const std::string& message) { return {true, ErrorResult("workflow", message, "")}; }

}  // namespace

std::string WorkflowsOf(judge::Judge& judge) { return Join(NamesOf(judge), "|"); }

Awaitable<Ran> RunWorkflowTask(judge::Judge& judge, const std::string& suite, const Task& task, bool last,
                               std::function<void(std::string_view)> stage) {
  Result<WorkflowRequest> request = UnpackWorkflow(task.spec.payload);
  if (!request.ok()) co_return Fault(request.error().message);
  const std::vector<judge::Workflow>& workflows = judge.toolbox().workflows();
  const auto workflow = std::ranges::find(workflows, request->workflow, &judge::Workflow::name);
  if (workflow == workflows.end())
    co_return Fault(Concat("the lane has no workflow '", request->workflow, "'; it has ", Join(NamesOf(judge), ", ")));
  // The server's may be of another day than the lane's.
  Result<Json> input = judge::Complete(workflow->input, std::move(request->input), "the lane's workflow: input");
  if (!input.ok()) co_return Fault(input.error().message);
  ToldSteps steps(judge, suite, std::move(stage));
  const judge::WorkflowRun run = co_await judge::RunWorkflow(*workflow, *std::move(input), steps);
  const Result<std::string> result = WorkflowResult(*workflow, run, judge.provenance());
  if (!result.ok()) co_return Fault(result.error().message);
  if (!last && run.outcome() == judge::Outcome::kInfra) co_return Ran{false, ReasonOf(judge::ToJson(*workflow, run))};
  co_return Ran{true, *result};
}

}  // namespace kgym::service
