// /evaluate, /evaluate/batch, /workflow, /status, /results, /tasks, /debug/validate.
#include <algorithm>

#include "base/clock.h"
#include "base/text.h"
#include "service/compat/answer.h"
#include "service/compat/fields.h"
#include "service/compat/routes.h"
#include "service/compat/schemas.h"

namespace kgym::service::kernelgym {
namespace {

using http::Refusal;
using http::Request;
using http::Response;

Response NotFound(const std::string& id) { return Detail(404, Concat("Task ", id, " not found")); }

/// The sentence where the workflow that a body names is not one of ours.
std::string WorkflowFault(const Json& body) {
  const Json name = body.value("workflow", Json());
  const auto workflow = ParseWorkflow(name.is_string() ? std::optional(name.get<std::string>()) : std::nullopt);
  return workflow.ok() ? "" : workflow.error().message;
}

Awaitable<Response> EvaluateOne(Front& front, Request& request) {
  Result<Evaluation> evaluation = ReadEvaluation(request.json);
  if (!evaluation.ok()) co_return Invalid(evaluation.error().message);
  if (const std::string fault = WorkflowFault(request.json); !fault.empty()) co_return Detail(400, fault);
  Begun begun = co_await front.desk.Begin(*std::move(evaluation), request);
  const std::variant<Json, Refusal> answer = co_await front.desk.Finish(std::move(begun), request);
  if (const Refusal* refusal = std::get_if<Refusal>(&answer)) co_return ToKernelGym(*refusal);
  co_return http::JsonResponse(std::get<Json>(answer));
}

Json BatchAnswer(const std::string& batch, const std::string& submitted_at, Json results) {
  const auto failed = std::ranges::count_if(results, [](const Json& one) { return one["status"] == "failed"; });
  const auto all = static_cast<std::int64_t>(results.size());
  return {{"batch_id", batch},
          {"total_tasks", all},
          {"completed_tasks", all - failed},
          {"failed_tasks", failed},
          {"results", std::move(results)},
          {"batch_status", "completed"},
          {"submitted_at", submitted_at},
          {"completed_at", nullptr}};
}

Awaitable<Response> EvaluateBatch(Front& front, Request& request) {
  const std::string submitted_at = WallTime();
  std::vector<Evaluation> evaluations;
  std::string faults;
  for (const Json& task : request.json["tasks"]) {
    Result<Evaluation> evaluation = ReadEvaluation(task);
    if (evaluation.ok()) {
      evaluations.push_back(*std::move(evaluation));
    } else {
      faults += Concat(faults.empty() ? "" : ", ", evaluation.error().message);
    }
  }
  if (!faults.empty()) co_return Invalid(faults);
  // All at once, then one after the other is waited for.
  std::vector<Begun> begun;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const std::string fault = WorkflowFault(request.json["tasks"][i]), id = evaluations[i].task_id;
    if (fault.empty()) {
      begun.push_back(co_await front.desk.Begin(std::move(evaluations[i]), request));
    } else {
      begun.push_back({id, FailedResponse(id, "VALIDATION_ERROR", fault)});
    }
  }
  Json results = Json::array();
  for (Begun& one : begun) {
    const std::string id = one.id;
    std::variant<Json, Refusal> answer = co_await front.desk.Finish(std::move(one), request);
    const Refusal* refusal = std::get_if<Refusal>(&answer);
    if (refusal != nullptr && refusal->type == "draining") co_return ToKernelGym(*refusal);
    results.push_back(refusal != nullptr ? FailedResponse(id, "SYSTEM_ERROR", refusal->detail)
                                         : std::move(std::get<Json>(answer)));
  }
  co_return http::JsonResponse(
      BatchAnswer(request.json["batch_id"].get<std::string>(), submitted_at, std::move(results)));
}

Awaitable<Response> SubmitWorkflow(Front& front, Request& request) {
  const Json& body = request.json;
  Json payload = body.value("payload", Json::object());
  if (!payload.contains("resources") && body.contains("resources")) payload["resources"] = body["resources"];
  const std::string fault = WorkflowFault(body);
  if (!fault.empty()) co_return Detail(400, fault);
  Fields fields(body), inner(payload, "payload");
  std::string id = fields.TextOr("task_id", "", Fields::Need::kMayBeNull);
  if (id.empty()) id = inner.TextOr("task_id", "", Fields::Need::kMayBeNull);
  const bool refresh = fields.BoolOr("force_refresh", false);
  if (!fields.ok() || !inner.ok()) co_return Invalid(fields.ok() ? inner.Faults() : fields.Faults());
  if (id.empty()) co_return Detail(400, "task_id is required");
  if (id.size() > 150) co_return Detail(400, "task_id is longer than 150 bytes");
  const auto workflow = ParseWorkflow(fields.Text("workflow", Fields::Need::kMayBeNull));
  Result<Evaluation> evaluation = ReadPayload(*workflow, id, payload);
  if (!evaluation.ok()) co_return Detail(500, "Failed to submit workflow: " + evaluation.error().message);
  evaluation->force_refresh = refresh;
  Begun begun = co_await front.desk.Begin(*std::move(evaluation), request);
  const std::variant<Json, Refusal> answer = co_await front.desk.Finish(std::move(begun), request);
  if (const Refusal* refusal = std::get_if<Refusal>(&answer)) co_return ToKernelGym(*refusal);
  co_return http::JsonResponse(WorkflowResponse(std::get<Json>(answer)));
}

/// The task of the path's id, or what is said where there is none.
struct Found {
  std::optional<Known> known;
  std::optional<Response> refused;
};

Awaitable<Found> FindOne(Front& front, Request& request) {
  const std::string& id = request.in_path.at("task_id");
  Result<std::optional<Known>> known = co_await front.desk.Find(id, request);
  Found found;
  if (!known.ok()) {
    found.refused =
        ToKernelGym(http::RetryLater(503, "queue", "the queue cannot be asked: " + known.error().message, 1s));
  } else if (!*known) {
    found.refused = NotFound(id);
  } else {
    found.known = *std::move(known);
  }
  co_return found;
}

Awaitable<Response> GetStatus(Front& front, Request& request) {
  Found found = co_await FindOne(front, request);
  if (found.refused) co_return *std::move(found.refused);
  const Task& task = found.known->task;
  const std::string& id = request.in_path.at("task_id");
  std::optional<Json> response;
  if (Ended(task.state)) response = EvaluationResponse(task, id, front.desk.times());
  co_return http::JsonResponse(StatusResponse(task, id, response, front.desk.api().feed.Position(task)));
}

Awaitable<Response> GetResult(Front& front, Request& request) {
  Found found = co_await FindOne(front, request);
  if (found.refused) co_return *std::move(found.refused);
  const std::string& id = request.in_path.at("task_id");
  if (!Ended(found.known->task.state)) co_return NotFound(id);
  co_return http::JsonResponse(EvaluationResponse(found.known->task, id, front.desk.times()));
}

Awaitable<Response> GetWorkflowResult(Front& front, Request& request) {
  Found found = co_await FindOne(front, request);
  if (found.refused) co_return *std::move(found.refused);
  const std::string& id = request.in_path.at("task_id");
  if (!Ended(found.known->task.state)) co_return NotFound(id);
  co_return http::JsonResponse(WorkflowResponse(EvaluationResponse(found.known->task, id, front.desk.times())));
}

Awaitable<Response> CancelTask(Front& front, Request& request) {
  const std::string& id = request.in_path.at("task_id");
  Found found = co_await FindOne(front, request);
  const Response cannot = Detail(404, Concat("Task ", id, " not found or cannot be cancelled"));
  if (found.refused) co_return found.refused->status == 404 ? cannot : *std::move(found.refused);
  if (Ended(found.known->task.state)) co_return cannot;
  const Result<std::optional<Task>> task = co_await front.desk.api().queue.Cancel(found.known->task.spec.id);
  if (!task.ok()) co_return Detail(500, task.error().message);
  if (!*task || (*task)->state != TaskState::kCancelled) co_return cannot;
  const Json answer = {{"message", Concat("Task ", id, " cancelled successfully")}};
  co_return http::JsonResponse(answer);
}

Json Validity(const std::string& code, const std::string& name) {
  const bool valid = code.find("class " + name) != code.npos;
  return {{"valid", valid},
          {"error", valid ? Json(nullptr) : Json(Concat("Code must contain a '", name, "' class"))},
          {"entry_point", name}};
}

Awaitable<Response> Validate(Front&, Request& request) {
  const Result<Evaluation> evaluation = ReadEvaluation(request.json);
  if (!evaluation.ok()) co_return Invalid(evaluation.error().message);
  if (const std::string fault = WorkflowFault(request.json); !fault.empty()) co_return Detail(400, fault);
  const std::string fault = Fault(*evaluation);
  const Json info = {{"backend", evaluation->backend},
                     {"num_correct_trials", evaluation->num_correct_trials},
                     {"num_perf_trials", evaluation->num_perf_trials},
                     {"timeout", evaluation->timeout_s},
                     {"priority", evaluation->priority},
                     {"device_preference", evaluation->device_preference},
                     {"force_refresh", evaluation->force_refresh},
                     {"workflow", Name(evaluation->workflow)}};
  Json answer = {{"valid", fault.empty()},
                 {"errors", fault.empty() ? Json::array() : Json::array({fault})},
                 {"kernel", Validity(evaluation->kernel_code, KernelClass(*evaluation))},
                 {"task_id", evaluation->task_id},
                 {"workflow", Name(evaluation->workflow)},
                 {"request_info", info}};
  if (evaluation->workflow == Workflow::kKernelBench) {
    answer["reference"] = Validity(evaluation->reference_code, evaluation->entry_point);
    answer["cache"] = {{"use_reference_cache", evaluation->use_reference_cache}, {"uuid", evaluation->uuid}};
    answer["resources"] = request.json.value("resources", Json());
  }
  co_return http::JsonResponse(answer);
}

}  // namespace

void AddTaskRoutes(Table& table) {
  using http::Scope;
  table.Add("POST", "/evaluate", "kgEvaluate", "Evaluate a kernel, and answer with its result.", Scope::kSubmit,
            EvaluateOne, {}, {EvaluationBody(), EvaluationShown()});
  table.Add("POST", "/evaluate/batch", "kgEvaluateBatch", "Evaluate up to a hundred kernels.", Scope::kSubmit,
            EvaluateBatch, {}, {BatchBody(), BatchShown()});
  table.Add("POST", "/workflow/submit", "kgSubmitWorkflow", "Run a workflow, and answer with its result.",
            Scope::kSubmit, SubmitWorkflow, {}, {WorkflowBody(), WorkflowShown()});
  table.Add("GET", "/workflow/results/{task_id}", "kgWorkflowResult", "The result of a workflow.", Scope::kRead,
            GetWorkflowResult);
  table.Add("GET", "/status/{task_id}", "kgStatus", "pending, processing, completed or failed.", Scope::kRead,
            GetStatus);
  table.Add("GET", "/results/{task_id}", "kgResult", "The result of an evaluation that has ended.", Scope::kRead,
            GetResult);
  table.Add("DELETE", "/tasks/{task_id}", "kgCancel", "Cancel it: what runs is stopped.", Scope::kSubmit, CancelTask);
  table.Add("POST", "/debug/validate", "kgValidate", "What is wrong with a request, without running it.", Scope::kRead,
            Validate, {}, {EvaluationBody(), EvaluationShown()});
}

}  // namespace kgym::service::kernelgym
