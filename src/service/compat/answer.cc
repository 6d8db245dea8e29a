#include "service/compat/answer.h"

#include <set>

#include "base/text.h"
#include "service/api/evaluation_json.h"
#include "service/api/outcome_note.h"
#include "service/compat/metadata.h"
#include "service/compat/task.h"

namespace kgym::service::kernelgym {
namespace {

constexpr double kNotMeasured = -1.0;
constexpr std::size_t kLongestMessage = 8000;  // Messages go into prompts.

/// Right by its numbers, and not the submission's own work.
const std::set<std::string> kDecoys = {"rejected:no-work", "rejected:reference-call", "rejected:library-call",
                                       "rejected:decoy-kernel"};
/// The outputs are wrong.
const std::set<std::string> kIncorrect = {"fail:numerical", "fail:nan", "fail:shape", "fail:dtype",
                                          "fail:nondeterministic"};
/// A call of it ended badly.
const std::set<std::string> kBroke = {"fail:runtime", "fail:crash", "fail:oom"};
/// It never came to a call.
const std::set<std::string> kDidNotLoad = {"fail:compile", "fail:load", "fail:format"};

Json Blank(const std::string& id) {
  return {
      {"task_id", id},           {"status", "completed"},        {"compiled", nullptr},       {"correctness", nullptr},
      {"decoy_kernel", nullptr}, {"reference_runtime", nullptr}, {"kernel_runtime", nullptr}, {"speedup", nullptr},
      {"metadata", nullptr},     {"error_message", nullptr},     {"error_code", nullptr},     {"submitted_at", nullptr},
      {"completed_at", nullptr}, {"processing_time", nullptr}};
}

void Set(Json& response, bool compiled, bool correct, bool decoy) {
  response["compiled"] = compiled;
  response["correctness"] = correct;
  response["decoy_kernel"] = decoy;
  response["reference_runtime"] = response["kernel_runtime"] = kNotMeasured;
  response["speedup"] = 0.0;
}

void Fault(Json& response, const char* code, const std::string& message) {
  response["error_code"] = code;
  response["error_message"] = ToUtf8(TruncateUtf8(message, kLongestMessage));
}

void Failed(Json& response, const char* code, const std::string& message) {
  Set(response, false, false, false);
  response["status"] = "failed";
  Fault(response, code, message);
}

std::optional<double> NumberOf(const Json& json, const char* name) {
  const Result<double> number = GetDouble(json, name);
  return number.ok() ? std::optional(*number) : std::nullopt;
}

/// What one reference time is shared under.
std::string CacheKey(const Json& request, const Json& verdict) {
  return Concat(request.value("uuid", ""), "\n", request.value("is_valid", false), "\n",
                request.value("compiled_reference", false), "\n",
                GetStringOr(verdict.value("problem", Json::object()), "hash", "").value_or(""), "\n",
                GetStringOr(verdict.value("provenance", Json::object()), "card", "cpu").value_or("cpu"));
}

/// The reference's time as it was measured, or as it is shared; notes in the metadata which.
std::optional<double> ReferenceMs(const Json& verdict, const Json& request, ReferenceTimes& times, Json& metadata) {
  const bool compiled = request.value("compiled_reference", false);
  const std::optional<double> measured = NumberOf(verdict, compiled ? "compiled_reference_ms" : "reference_ms");
  if (!request.value("use_reference_cache", false) || !measured) return measured;
  const std::string key = CacheKey(request, verdict);
  const std::optional<double> kept = times.Find(key);
  times.Keep(key, *measured);
  metadata["cached"] = kept.has_value();
  metadata["uuid"] = request.value("uuid", "");
  metadata["cache_type"] = request.value("is_valid", false) ? "validation" : "regular";
  return kept ? kept : measured;
}

void SetTimes(Json& response, const Json& verdict, const Json& request, ReferenceTimes& times) {
  const std::optional<double> kernel = NumberOf(verdict, "candidate_ms");
  if (kernel) response["kernel_runtime"] = *kernel;
  if (request.value("workflow", "") == "kernel_simple") {
    response["reference_runtime"] = response["speedup"] = nullptr;
    if (!request.value("checked", true)) response["correctness"] = nullptr;
    return;
  }
  const std::optional<double> reference = ReferenceMs(verdict, request, times, response["metadata"]);
  if (reference) response["reference_runtime"] = *reference;
  if (!reference || !kernel) return;
  // The judge's own speedup is paired round by round; it holds where its own reference time is the one reported.
  const bool as_measured = reference == NumberOf(verdict, "reference_ms") && NumberOf(verdict, "speedup");
  response["speedup"] = as_measured ? *NumberOf(verdict, "speedup") : *reference / *kernel;
}

void FromVerdict(Json& response, const Json& verdict, const Json& request, const std::string& id,
                 ReferenceTimes& times) {
  const std::string outcome = GetStringOr(verdict, "outcome", "").value_or("");
  const std::string reason = GetStringOr(verdict, "reason", "").value_or("");
  const Json evidence = verdict.value("evidence", Json::object());
  const std::string trace = GetStringOr(evidence, "traceback", "").value_or("");
  const std::string detail = trace.empty() ? reason : Concat(reason, "\n", trace);
  response["metadata"] = MetadataOf(verdict, request, id);
  if (outcome == "ok") {
    Set(response, true, true, false);
    SetTimes(response, verdict, request, times);
  } else if (kDecoys.contains(outcome)) {
    Set(response, true, true, true);
  } else if (outcome.starts_with("rejected:")) {
    Set(response, true, false, true);
    Fault(response, "CORRECTNESS_ERROR", Concat("Kernel was rejected (", outcome.substr(9), "): ", reason));
  } else if (kIncorrect.contains(outcome)) {
    Set(response, true, false, false);
    Fault(response, "CORRECTNESS_ERROR", "Kernel produced incorrect results: " + reason);
  } else if (kBroke.contains(outcome)) {
    Set(response, true, false, false);
    Fault(response, "RUNTIME_ERROR", "Kernel execution failed: " + detail);
  } else if (kDidNotLoad.contains(outcome)) {
    Failed(response, "COMPILATION_ERROR", "Kernel compilation failed: " + detail);
  } else if (outcome == "fail:timeout") {
    Failed(
        response, "TIMEOUT_ERROR",
        Concat("Task processing failed: Task ", id, " timeout after ", request.value("timeout", 300), "s. ", reason));
  } else {
    Failed(response, "SYSTEM_ERROR", "Evaluation failed by no fault of the kernel: " + reason);
  }
}

void FromResult(Json& response, const Task& task, const std::string& id, ReferenceTimes& times) {
  const Result<Json> result = ParseJson(task.result, "result");
  const Json request = RequestOf(task);
  if (result.ok() && result->is_object() && result->contains("verdict") && (*result)["verdict"].is_object())
    return FromVerdict(response, (*result)["verdict"], request, id, times);
  const OutcomeNote note = NoteOf(task.result);
  Failed(response, "RUNTIME_ERROR", "Kernel evaluation failed: " + note.reason);
  response["metadata"] = {{"error", note.reason}};
  response["kernel_runtime"] = 0.0;
}

}  // namespace

std::string StatusOf(const Task& task) {
  if (task.state == TaskState::kQueued) return "pending";
  if (task.state == TaskState::kRunning) return "processing";
  if (task.state != TaskState::kDone) return "failed";
  const OutcomeNote note = NoteOf(task.result);
  const bool failed =
      kDidNotLoad.contains(note.outcome) || note.outcome == "fail:timeout" ||
      !(note.outcome == "ok" || note.outcome.starts_with("fail:") || note.outcome.starts_with("rejected:"));
  return failed ? "failed" : "completed";
}

Json EvaluationResponse(const Task& task, const std::string& id, ReferenceTimes& times) {
  Json response = Blank(id);
  if (task.state == TaskState::kDone) {
    FromResult(response, task, id, times);
  } else if (task.state == TaskState::kCancelled) {
    Failed(response, "SYSTEM_ERROR", "Task cancelled");
  } else {
    Failed(response, "SYSTEM_ERROR", "Task failed: " + task.reason);
  }
  response["submitted_at"] = TimeJson(task.submitted_ms);
  response["completed_at"] = TimeJson(task.ended_ms);
  if (task.started_ms > 0 && task.ended_ms >= task.started_ms)
    response["processing_time"] = static_cast<double>(task.ended_ms - task.started_ms) / 1e3;
  return response;
}

Json FailedResponse(const std::string& id, const std::string& error_code, const std::string& message) {
  Json response = Blank(id);
  Failed(response, error_code.c_str(), message);
  response["metadata"] = {{"error", message}};
  return response;
}

Json WorkflowResponse(const Json& response) {
  Json result = response;
  for (const char* name : {"status", "submitted_at", "completed_at", "processing_time"}) result.erase(name);
  return {{"task_id", response["task_id"]},
          {"status", response["status"]},
          {"result", std::move(result)},
          {"error_message", response["error_message"]},
          {"error_code", response["error_code"]},
          {"submitted_at", response["submitted_at"]},
          {"completed_at", response["completed_at"]}};
}

Json StatusResponse(const Task& task, const std::string& id, const std::optional<Json>& response,
                    std::optional<std::int64_t> position) {
  Json status = {{"task_id", id},
                 {"status", StatusOf(task)},
                 {"progress", nullptr},
                 {"estimated_completion", nullptr},
                 {"queue_position", position ? Json(*position) : Json(nullptr)},
                 {"assigned_device", task.lane.empty() ? Json(nullptr) : Json(task.lane)}};
  // Beyond the original, whose clients look for it here and nowhere else.
  if (response) status["error_message"] = (*response)["error_message"];
  return status;
}

bool IsInfra(const Task& task) {
  if (task.state == TaskState::kDead) return true;
  if (task.state != TaskState::kDone) return false;
  const std::string outcome = NoteOf(task.result).outcome;
  return outcome == "infra" || outcome == "unreadable";
}

}  // namespace kgym::service::kernelgym
