#include "service/api/judge_lanes.h"

#include <optional>

#include "base/text.h"
#include "service/api/evaluation_request.h"
#include "service/api/outcome_note.h"
#include "service/api/submission.h"
#include "service/api/workflow_lane.h"
#include "service/api/workflow_request.h"

namespace kgym::service {
namespace {

/// Why this judge cannot run the backend; empty where it can.
std::string BackendFault(const judge::Judge& judge, const std::string& backend) {
  std::vector<std::string> known;
  for (const auto& [name, facts] : judge.backends().items()) known.push_back(name);
  if (!judge.backends().contains(backend))
    return Concat("field 'backend': unknown backend '", backend, "'", DidYouMean(backend, known),
                  "; known: ", Join(known, ", "));
  const Json& facts = judge.backends()[backend];
  if (!facts.value("runs", true))
    return Concat("field 'backend': '", backend, "' does not run on ", judge.config().device,
                  "; ask for another lane with 'labels'");
  const Json missing = facts.value("missing", Json::array());
  if (!missing.empty())
    return Concat("field 'backend': '", backend, "' needs ", DumpJson(missing), ", which the judge's Python lacks");
  return "";
}

/// What the judge can run: "cpp|triton".
std::string BackendsOf(const judge::Judge& judge) {
  std::vector<std::string> names;
  for (const auto& [name, facts] : judge.backends().items()) {
    if (BackendFault(judge, name).empty()) names.push_back(name);
  }
  return Join(names, "|");
}

/// Our own fault, and one that another try may not have.
bool WorthAnotherTry(const judge::Verdict& verdict) {
  return verdict.outcome == judge::Outcome::kInfra && !verdict.evidence.contains("would_be");
}

}  // namespace

LaneInfo JudgeLanes::Describe(judge::Judge& judge) const {
  const Json& facts = judge.provenance();
  LaneInfo lane;
  lane.name = judge.config().device;
  lane.labels = {{"device", facts.value("device", "cpu")}, {kBackendLabel, BackendsOf(judge)}};
  if (std::string workflows = WorkflowsOf(judge); !workflows.empty())
    lane.labels[kWorkflowLabel] = std::move(workflows);
  if (facts.contains("card")) lane.labels["card"] = facts.value("card", "");
  const bool on_gpu = judge.config().on_gpu();
  lane.slots = slots_ > 0 ? slots_ : (on_gpu ? 16 : 4);
  lane.facts = facts;
  lane.facts["backends"] = judge.backends();
  lane.facts["builds"] = judge.build_mark();
  return lane;
}

Awaitable<Result<std::vector<LaneInfo>>> JudgeLanes::Start() {
  std::vector<LaneInfo> lanes;
  for (const judge::JudgeConfig& config : configs_) {
    KGYM_CO_TRY(std::unique_ptr<judge::Judge> judge, co_await judge::Judge::Start(executor_, config, depot_));
    lanes.push_back(Describe(*judge));
    judges_.push_back(std::move(judge));
  }
  co_return lanes;
}

Awaitable<Ran> JudgeLanes::Run(std::size_t lane, const Task& task, bool last,
                               std::function<void(std::string_view)> stage) {
  judge::Judge& judge = *judges_[lane];
  if (!WorkflowOf(task.spec).empty()) co_return co_await RunWorkflowTask(judge, suite_, task, last, std::move(stage));
  co_return co_await Evaluate(judge, task, last, std::move(stage));
}

Awaitable<Ran> JudgeLanes::Evaluate(judge::Judge& judge, const Task& task, bool last,
                                    std::function<void(std::string_view)> stage) {
  Result<EvaluationRequest> request = UnpackRequest(task.spec.payload);
  if (!request.ok()) co_return Ran{true, ErrorResult("payload", request.error().message, "")};
  if (const std::string fault = BackendFault(judge, request->submission.backend); !fault.empty())
    co_return Ran{true, ErrorResult("backend", fault, "")};
  const Result<judge::JudgeConfig> config = ConfigWith(judge.config(), request->config);
  if (!config.ok()) co_return Ran{true, ErrorResult("config", config.error().message, "")};
  if (request->problem.workload.empty()) request->problem.workload = judge.config().on_gpu() ? "gpu" : "cpu";
  std::optional<judge::JudgeConfig> own = *config;
  const judge::Judged judged = co_await judge.Evaluate(std::move(request->problem), std::move(request->submission),
                                                       std::move(own), std::move(stage));
  if (const auto* fault = std::get_if<judge::ProblemFault>(&judged))
    co_return Ran{true, ErrorResult("problem", fault->message, fault->traceback)};
  const auto& verdict = std::get<judge::Verdict>(judged);
  if (!last && WorthAnotherTry(verdict)) co_return Ran{false, verdict.reason};
  co_return Ran{true, VerdictResult(verdict.ToJson())};
}

void JudgeLanes::WatchHealth(std::function<void(std::size_t lane, const std::string& illness)> told) {
  for (std::size_t lane = 0; lane < judges_.size(); ++lane)
    judges_[lane]->WatchHealth([told, lane](const std::string& illness) { told(lane, illness); });
}

Awaitable<void> JudgeLanes::Close() {
  for (const auto& judge : judges_) co_await judge->Close();
  judges_.clear();
}

}  // namespace kgym::service
