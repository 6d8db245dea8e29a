#include "service/api/fake_lanes.h"

#include <cmath>

#include "base/ids.h"
#include "base/text.h"
#include "judge/verdict.h"
#include "service/api/evaluation_request.h"
#include "service/api/outcome_note.h"
#include "service/api/workflow_request.h"
#include "service/api/workflow_result.h"

namespace kgym::service {
namespace {

constexpr Duration kIll = 1s;

/// Of a time whose average is `mean`, when nothing is remembered of what has passed.
Duration Random(Duration mean) {
  const double uniform = (static_cast<double>(RandomU64() >> 11) + 1) * 0x1p-53;
  return FromMs(-std::log(uniform) * ToMs(mean));
}

}  // namespace

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

void FakeLanes::WatchHealth(std::function<void(std::size_t lane, const std::string& illness)> told) {
  if (wedge_ > Duration(0)) Spawn(executor_, FallIll(std::move(told)));
}

Awaitable<void> FakeLanes::FallIll(std::function<void(std::size_t lane, const std::string& illness)> told) {
  while (true) {
    const bool open = co_await Pass(Random(wedge_));
    if (!open) co_return;
    const std::size_t lane = RandomU64() % static_cast<std::size_t>(lanes_);
    told(lane, "a load test says that it hangs");
    const bool still_open = co_await Pass(kIll);
    if (!still_open) co_return;
    told(lane, "");
  }
}

Awaitable<bool> FakeLanes::Pass(Duration duration) {
  if (!closed_) co_await closing_.WaitUntil(std::chrono::steady_clock::now() + duration);
  co_return !closed_;
}

Awaitable<void> FakeLanes::Close() {
  closed_ = true;
  closing_.Raise();
  co_return;
}

}  // namespace kgym::service
