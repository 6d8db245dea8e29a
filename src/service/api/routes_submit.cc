// POST /v1/evaluations and POST /v1/evaluations:batch.
#include <cmath>

#include "base/text.h"
#include "service/api/api.h"
#include "service/api/evaluation_json.h"
#include "service/api/submission.h"
#include "service/http/target.h"

namespace kgym::service {
namespace {

using http::Refusal;
using http::Request;
using http::Response;
using http::ToResponse;

constexpr std::size_t kBatchBytes = std::size_t{64} << 20;

Ground GroundOf(const Api& api, const Request& request) {
  return {api.catalogue, api.workflows, api.config, request.principal->name, api.clock.NowMs()};
}

Duration Seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

std::optional<Response> RefuseWhileDraining(const Api& api, const Request& request) {
  if (!api.draining) return std::nullopt;
  return ToResponse(http::RetryLater(503, "draining", "the server is about to stop and takes nothing new", 5s),
                    request.target);
}

Refusal ConflictOf(const Accepted& accepted) {
  return {409, "conflict", accepted.reason, "use another id, or submit the same content"};
}

Refusal FullOf(const Accepted& accepted) {
  return http::RetryLater(429, "full", accepted.reason, accepted.retry_after);
}

Response Answer(const Api& api, const Task& task, bool fresh) {
  Response response = http::JsonResponse(Shown(api, task), fresh && !Ended(task.state) ? 202 : 200);
  response.headers.push_back({"Location", "/v1/evaluations/" + http::PercentEncode(task.spec.id)});
  return response;
}

Awaitable<Response> SubmitOne(Api& api, Request& request) {
  if (auto refused = RefuseWhileDraining(api, request)) co_return *std::move(refused);
  Result<TaskSpec> spec = ReadSubmission(request.json, GroundOf(api, request));
  if (!spec.ok()) co_return ToResponse({422, "invalid", spec.error().message}, request.target);
  std::vector<TaskSpec> specs;
  specs.push_back(*std::move(spec));
  Result<std::vector<Accepted>> accepted = co_await api.queue.Submit(std::move(specs));
  if (!accepted.ok()) co_return QueueFault(request, accepted.error());
  Accepted& one = accepted->front();
  if (one.kind == Accepted::Kind::kConflict) co_return ToResponse(ConflictOf(one), request.target);
  if (one.kind == Accepted::Kind::kFull) co_return ToResponse(FullOf(one), request.target);
  const double wait = request.QueryDouble("wait", 0);
  const bool fresh = one.kind == Accepted::Kind::kNew;
  if (wait <= 0 || Ended(one.task.state)) co_return Answer(api, one.task, fresh);
  const Result<Waited> waited = co_await AwaitEnd(api, one.task.spec.id, Seconds(wait), request.hangup);
  if (!waited.ok()) co_return QueueFault(request, waited.error());
  co_return Answer(api, waited->now() != nullptr ? *waited->now() : one.task, fresh);
}

/// {"id", "status", "error"} of one that was not taken.
Json Refused(const std::string& id, const char* status, const Refusal& refusal, const Request& request) {
  const Response response = ToResponse(refusal, request.target);
  return {{"id", id.empty() ? Json(nullptr) : Json(id)},
          {"status", status},
          {"error", ParseJson(response.body).value_or(Json::object())}};
}

Json ItemOf(const Accepted& one, const Request& request) {
  if (one.kind == Accepted::Kind::kConflict) return Refused(one.task.spec.id, "conflict", ConflictOf(one), request);
  if (one.kind == Accepted::Kind::kFull) return Refused(one.task.spec.id, "full", FullOf(one), request);
  return {{"id", one.task.spec.id},
          {"status", one.kind == Accepted::Kind::kNew ? "accepted" : "known"},
          {"state", Name(one.task.state)}};
}

Awaitable<Response> SubmitBatch(Api& api, Request& request) {
  if (auto refused = RefuseWhileDraining(api, request)) co_return *std::move(refused);
  Json items = Json::array();
  std::vector<TaskSpec> specs;
  std::vector<std::size_t> places;  // Of each spec among the items.
  for (const Json& body : request.json["evaluations"]) {
    Result<TaskSpec> spec = ReadSubmission(body, GroundOf(api, request));
    if (spec.ok()) {
      places.push_back(items.size());
      specs.push_back(*std::move(spec));
      items.push_back(nullptr);
    } else {
      items.push_back(Refused(body.value("id", ""), "invalid", {422, "invalid", spec.error().message}, request));
    }
  }
  std::vector<Accepted> accepted;
  if (!specs.empty()) {
    Result<std::vector<Accepted>> answer = co_await api.queue.Submit(std::move(specs));
    if (!answer.ok()) co_return QueueFault(request, answer.error());
    accepted = *std::move(answer);
  }
  const auto full = [](const Accepted& one) { return one.kind == Accepted::Kind::kFull; };
  if (!accepted.empty() && std::ranges::all_of(accepted, full))
    co_return ToResponse(FullOf(accepted[0]), request.target);
  for (std::size_t i = 0; i < accepted.size(); ++i) items[places[i]] = ItemOf(accepted[i], request);
  const Json answer = {{"evaluations", std::move(items)}};
  co_return http::JsonResponse(answer);
}

Json BatchSchema() {
  return {{"type", "object"},
          {"required", {"evaluations"}},
          {"additionalProperties", false},
          {"properties",
           {{"evaluations",
             {{"type", "array"}, {"minItems", 1}, {"maxItems", kMostInBatch}, {"items", SchemaRef("Submission")}}}}}};
}

Json BatchAnswerSchema() {
  return {{"type", "object"},
          {"required", {"evaluations"}},
          {"properties",
           {{"evaluations",
             {{"type", "array"},
              {"description", "One for each, in order."},
              {"items",
               {{"type", "object"},
                {"required", {"id", "status"}},
                {"properties",
                 {{"id", {{"type", {"string", "null"}}}},
                  {"status", {{"type", "string"}, {"enum", {"accepted", "known", "conflict", "full", "invalid"}}}},
                  {"state", {{"type", "string"}}},
                  {"error", SchemaRef("Problem")}}}}}}}}}};
}

}  // namespace

void AddSubmitRoutes(http::Routes& routes, Api& api) {
  routes.Add(
      {.method = "POST",
       .path = "/v1/evaluations",
       .id = "submitEvaluation",
       .summary = "Submit one evaluation, or one run of a workflow; with `wait`, and have what comes of it in the same "
                  "answer.",
       .tag = "evaluations",
       .scope = http::Scope::kSubmit,
       .query = {WaitParameter()},
       .body = SchemaRef("Submission"),
       .body_limit = std::size_t{8} << 20,
       .answers = {{200, "It has ended, or was known before.", SchemaRef("Evaluation")},
                   {202, "Accepted: nothing that happens to the server makes it forget this.", SchemaRef("Evaluation")},
                   {409, "This id is known with other content."}},
       .handler = [&api](Request& request) { return SubmitOne(api, request); }});
  routes.Add({.method = "POST",
              .path = "/v1/evaluations:batch",
              .id = "submitBatch",
              .summary = "Submit many; each is accepted or refused for itself.",
              .tag = "evaluations",
              .scope = http::Scope::kSubmit,
              .body = BatchSchema(),
              .body_limit = kBatchBytes,
              .answers = {{200, "What became of each.", BatchAnswerSchema()}},
              .handler = [&api](Request& request) { return SubmitBatch(api, request); }});
}

}  // namespace kgym::service
