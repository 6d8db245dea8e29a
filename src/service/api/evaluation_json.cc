#include "service/api/evaluation_json.h"

#include <chrono>

#include "base/clock.h"
#include "base/text.h"
#include "service/api/evaluation_request.h"
#include "service/api/submission.h"
#include "service/api/workflow_request.h"
#include "service/http/target.h"

namespace kgym::service {
namespace {

Json TextOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json LinksOf(const Task& task) {
  const std::string self = "/v1/evaluations/" + http::PercentEncode(task.spec.id);
  Json links = {{"self", self}, {"events", self + "/events"}};
  if (!WorkflowOf(task.spec).empty()) {
    links["input"] = self + "/artefacts/input";
    return links;
  }
  links["source"] = self + "/artefacts/source";
  if (task.state == TaskState::kDone) {
    for (const char* artefact : {"log", "profile", "replay"}) links[artefact] = Concat(self, "/artefacts/", artefact);
  }
  return links;
}

/// What list and whole have in common.
Json Common(const Task& task, std::optional<std::int64_t> position) {
  return {{"id", task.spec.id},
          {"state", Name(task.state)},
          {"problem", TextOrNull(ProblemNameIn(task.spec.affinity))},
          {"workflow", TextOrNull(WorkflowOf(task.spec))},
          {"run", task.spec.run},
          {"tenant", task.spec.tenant},
          {"priority", PriorityName(task.spec.priority)},
          {"labels", task.spec.labels},
          {"submitted_at", TimeJson(task.submitted_ms)},
          {"started_at", TimeJson(task.started_ms)},
          {"ended_at", TimeJson(task.ended_ms)},
          {"deadline_at", TimeJson(task.spec.deadline_ms)},
          {"position", position ? Json(*position) : Json(nullptr)},
          {"stage", task.state == TaskState::kRunning ? TextOrNull(task.stage) : Json(nullptr)},
          {"attempt", task.attempt},
          {"worker", TextOrNull(task.worker)},
          {"lane", TextOrNull(task.lane)},
          {"attached_to", TextOrNull(task.attached_to)},
          {"waits_for", nullptr},
          {"reason", TextOrNull(task.reason)}};
}

Json NullOr(const char* type, const char* meaning) { return {{"type", {type, "null"}}, {"description", meaning}}; }

Json CommonSchema() {
  return {{"type", "object"},
          {"required", {"id", "state", "problem", "priority", "submitted_at", "attempt", "outcome"}},
          {"properties",
           {{"id", {{"type", "string"}}},
            {"state", {{"type", "string"}, {"enum", {"queued", "running", "done", "cancelled", "dead"}}}},
            {"problem", NullOr("string", "Null of a run of a workflow.")},
            {"workflow", NullOr("string", "Of which it is a run; null of an evaluation.")},
            {"run", {{"type", "string"}}},
            {"tenant", {{"type", "string"}, {"description", "The token that submitted it."}}},
            {"priority", {{"type", "string"}, {"enum", {"low", "normal", "high"}}}},
            {"labels", {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}}},
            {"submitted_at", NullOr("string", "RFC 3339, UTC.")},
            {"started_at", NullOr("string", "Of the latest attempt.")},
            {"ended_at", NullOr("string", "")},
            {"deadline_at", NullOr("string", "")},
            {"position", NullOr("integer", "How many go before it by priority and age, plus one; while it is queued.")},
            {"stage", NullOr("string",
                             "What is being done now: building, checking, timing; of a workflow the step, step:NAME.")},
            {"attempt", {{"type", "integer"}}},
            {"worker", NullOr("string", "Who runs it, or ran it last.")},
            {"lane", NullOr("string", "")},
            {"attached_to", NullOr("string", "The identical evaluation whose verdict it takes.")},
            {"waits_for",
             NullOr("string", "Why it will go on waiting as things are: no lane has its labels, or none that works.")},
            {"reason",
             NullOr("string", "Why it is dead, or why its latest attempt failed; of a workflow, which step failed.")},
            {"outcome", NullOr("string", "Of the verdict or report; \"error\" where the problem cannot be judged.")},
            {"speedup", NullOr("number", "Of the verdict.")}}}};
}

}  // namespace

Json TimeJson(std::int64_t unix_ms) {
  if (unix_ms == 0) return nullptr;
  return WallTime(std::chrono::system_clock::time_point(std::chrono::milliseconds(unix_ms)));
}

Json EvaluationLine(const Task& task, std::optional<std::int64_t> position, const OutcomeNote* note) {
  Json line = Common(task, position);
  line["outcome"] = note != nullptr ? Json(note->outcome) : Json(nullptr);
  line["speedup"] = note != nullptr && note->speedup ? Json(*note->speedup) : Json(nullptr);
  if (note != nullptr && task.state == TaskState::kDone) line["reason"] = note->reason;
  return line;
}

Json EvaluationJson(const Task& task, std::optional<std::int64_t> position) {
  Json json = Common(task, position);
  const bool evaluation = WorkflowOf(task.spec).empty();
  if (const Result<Json> payload = ParseJson(task.spec.payload, "payload");
      evaluation && payload.ok() && payload->is_object()) {
    const Json none = Json::object();
    const Json& submission = payload->contains("submission") ? (*payload)["submission"] : none;
    json["backend"] = submission.value("backend", "");
    json["entry"] = submission.value("entry", "");
    json["name"] = submission.value("name", "");
    json["config"] = payload->value("config", none);
  }
  json["outcome"] = json["speedup"] = json["verdict"] = json["report"] = json["error"] = nullptr;
  if (task.state == TaskState::kDone) {
    const Result<Json> result = ParseJson(task.result, "result");
    const OutcomeNote note = NoteOf(task.result);
    json["outcome"] = note.outcome;
    if (note.speedup) json["speedup"] = *note.speedup;
    if (!evaluation && !note.reason.empty()) json["reason"] = note.reason;
    for (const char* part : {"verdict", "report", "error"}) {
      if (result.ok() && result->is_object() && result->contains(part)) json[part] = (*result)[part];
    }
  }
  json["links"] = LinksOf(task);
  return json;
}

Json EvaluationLineSchema() { return CommonSchema(); }

Json EvaluationSchema() {
  Json schema = CommonSchema();
  Json& properties = schema["properties"];
  for (const char* text : {"backend", "entry", "name"}) properties[text] = {{"type", "string"}};
  properties["config"] = {{"type", "object"}};
  properties["verdict"] = NullOr("object", "kgym.verdict/1, see docs/verdict.md; once it is done.");
  properties["report"] =
      NullOr("object",
             "Of a workflow: kgym.workflow/1, see docs/extending.md; once it is done. Its steps' small files are at "
             "/v1/evaluations/{id}/steps/{step}/files/{name}.");
  properties["error"] = NullOr("object", "Where the problem itself cannot be judged: kind, message, traceback.");
  properties["links"] = {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
  return schema;
}

}  // namespace kgym::service
