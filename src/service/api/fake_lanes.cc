#include "service/api/fake_lanes.h"

#include "base/text.h"
#include "judge/verdict.h"
#include "service/api/evaluation_request.h"
#include "service/api/outcome_note.h"
#include "service/api/workflow_request.h"
#include "service/api/workflow_result.h"

namespace kgym::service {

Awaitable<Result<std::vector<LaneInfo>>> FakeLanes::Start() {
  std::vector<LaneInfo> lanes;
  for (int i = 0; i < lanes_; ++i)
    lanes.push_back({Concat("fake:", i),
                     {{"device", "fake"}, {kBackendLabel, "*"}, {kWorkflowLabel, "*"}},
                     1,
                     {{"hold_ms", ToMs(hold_)}}});
  co_return lanes;
}

Awaitable<Ran> FakeLanes::Run(std::size_t, const Task& task, bool, std::function<void(std::string_view)> stage) {
  if (const std::string workflow = WorkflowOf(task.spec); !workflow.empty()) {
    stage("step:fake");
    if (hold_ > Duration(0)) co_await SleepFor(hold_);
    judge::Workflow nothing;
    nothing.name = workflow;
    co_return Ran{true, WorkflowResult(nothing, {}, Json::object()).value_or("")};
  }
  Result<EvaluationRequest> request = UnpackRequest(task.spec.payload);
  if (!request.ok()) co_return Ran{true, ErrorResult("payload", request.error().message, "")};
  if (request->problem.workload.empty()) request->problem.workload = "cpu";
  for (const char* name : {"building", "checking", "timing"}) {
    if (hold_ > Duration(0)) {
      stage(name);
      co_await SleepFor(hold_ / 3);
    }
  }
  judge::Verdict verdict = judge::NewVerdict(request->problem, request->submission);
  verdict.outcome = judge::Outcome::kOk;
  verdict.reason = "a lane of a load test says so; nothing was judged";
  verdict.notes = {"fake lane"};
  co_return Ran{true, VerdictResult(verdict.ToJson())};
}

}  // namespace kgym::service
