#include "service/compat/task.h"

#include <algorithm>

#include "base/text.h"
#include "service/api/evaluation_request.h"
#include "service/compat/cases.h"
#include "service/schedule/labels.h"

namespace kgym::service::kernelgym {
namespace {

constexpr double kOtherSeconds = 1.5;  // What an evaluation takes beside its timing, roughly.

bool WantsCompiledReference(const std::string& backend) {
  std::string name = backend;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name == "torch_compile" || name == "torch-compile" || name == "compile";
}

int PriorityOf(const std::string& name) { return name == "low" ? 0 : name == "high" ? 2 : 1; }

/// What the evaluation has otherwise than the server: `timeout` bounds each stage, and raises none.
Json ConfigOf(const Evaluation& evaluation, const judge::JudgeConfig& server) {
  const bool simple = evaluation.workflow == Workflow::kKernelSimple;
  const judge::LimitsConfig limits = server.Completed().limits;
  const auto seconds = static_cast<double>(evaluation.timeout_s);
  Json config = {{"correctness.sets", std::clamp<std::int64_t>(evaluation.num_correct_trials, 1, 100)},
                 {"limits.open", ExactDuration(std::min(limits.open, FromSeconds(seconds)))},
                 {"limits.build", ExactDuration(std::min(limits.build, FromSeconds(seconds)))},
                 {"limits.load", ExactDuration(std::min(limits.load, FromSeconds(seconds)))},
                 {"limits.call", ExactDuration(std::min(limits.call, FromSeconds(seconds)))}};
  if (!evaluation.run_performance) config["timing.enabled"] = false;
  if (WantsCompiledReference(evaluation.reference_backend)) config["timing.compile"] = true;
  if (simple || !evaluation.detect_decoy) config["judge.require_custom_kernel"] = false;
  return config;
}

/// The case's own tolerance, where the request has cases with one.
void AddTolerance(const Json& cases, Json& config) {
  double rtol = 0;
  for (const Json& one : cases) {
    if (one.is_object()) rtol = std::max(rtol, GetDoubleOr(one, "rtol", 0).value_or(0));
  }
  if (rtol > 0) config["correctness.rtol"] = rtol;
}

Json Echo(const Evaluation& evaluation) {
  return {{"workflow", Name(evaluation.workflow)},
          {"backend", evaluation.backend},
          {"num_correct_trials", evaluation.num_correct_trials},
          {"num_perf_trials", evaluation.num_perf_trials},
          {"profiling", evaluation.profiling},
          {"run_performance", evaluation.run_performance},
          {"reference_backend", evaluation.reference_backend},
          {"compiled_reference", WantsCompiledReference(evaluation.reference_backend)},
          {"timeout", evaluation.timeout_s},
          {"uuid", evaluation.uuid},
          {"use_reference_cache", evaluation.use_reference_cache},
          {"is_valid", evaluation.is_valid}};
}

}  // namespace

Result<TaskSpec> ToSpec(const Evaluation& evaluation, const Ground& ground) {
  EvaluationRequest request;
  Json echo = Echo(evaluation);
  request.config = ConfigOf(evaluation, ground.config);
  request.problem.workload = "";  // The one that suits the lane.
  request.submission.name = evaluation.task_id;
  request.submission.source = evaluation.kernel_code;
  request.submission.backend = evaluation.backend;
  request.submission.entry = KernelClass(evaluation);
  if (evaluation.workflow == Workflow::kKernelSimple) {
    KGYM_TRY(CasesProblem cases, ProblemOfCases(evaluation));
    request.problem.name = "kernel_simple";
    request.problem.source = std::move(cases.source);
    echo["cases_source"] = Name(cases.from);
    echo["num_cases"] = evaluation.cases.is_array() ? Json(evaluation.cases.size()) : Json(1);
    echo["checked"] = cases.checked;
    if (!evaluation.cases.is_null()) AddTolerance(evaluation.cases, request.config);
  } else {
    request.problem.name = evaluation.uuid.empty() ? "kernelgym" : evaluation.uuid;
    request.problem.source = evaluation.reference_code;
    if (evaluation.entry_point != "Model") request.problem.source += "\n\nModel = " + evaluation.entry_point + "\n";
  }

  TaskSpec spec;
  spec.id = evaluation.task_id;
  spec.tenant = ground.tenant;
  spec.priority = PriorityOf(evaluation.priority);
  spec.content_key = ContentKey(request);
  const bool needs_card = evaluation.backend == "cuda" || (evaluation.backend == "triton" && ground.has_cards);
  spec.labels[kBackendLabel] = evaluation.backend;
  if (needs_card) spec.labels["device"] = "cuda";
  spec.affinity = AffinityOf(request.problem);
  const double timing = evaluation.run_performance ? ToSeconds(ground.config.timing.budget) : 0;
  spec.expected_hold_s = kOtherSeconds + timing;
  KGYM_TRY(Json payload, ParseJson(PackRequest(request), "payload"));
  payload["kernelgym"] = std::move(echo);
  spec.payload = DumpJson(payload);
  return spec;
}

Json RequestOf(const Task& task) {
  const Result<Json> payload = ParseJson(task.spec.payload, "payload");
  if (!payload.ok() || !payload->is_object()) return Json::object();
  const auto found = payload->find("kernelgym");
  return found != payload->end() && found->is_object() ? *found : Json::object();
}

}  // namespace kgym::service::kernelgym
