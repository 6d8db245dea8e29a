// GET /v1/evaluations/{id}/artefacts/{source,log,profile,replay}.
#include "base/config.h"
#include "base/text.h"
#include "judge/bundle.h"
#include "service/api/api.h"
#include "service/api/evaluation_request.h"
#include "service/api/submission.h"
#include "service/api/workflow_request.h"

namespace kgym::service {
namespace {

using http::Request;
using http::Response;
using http::ToResponse;

/// An evaluation's parts, as far as they are there.
struct Parts {
  std::optional<Response> refused;
  std::string id;
  bool ended = false;
  EvaluationRequest request;
  Json verdict;  // Null where there is none.
};

Response Text(std::string type, std::string body) {
  Response response;
  response.content_type = std::move(type);
  response.body = std::move(body);
  return response;
}

Awaitable<Parts> Find(Api& api, Request& request) {
  Parts parts;
  FoundTask found = co_await FindTask(api, request);
  if (found.refused) {
    parts.refused = std::move(found.refused);
    co_return parts;
  }
  parts.id = found.task->spec.id;
  parts.ended = Ended(found.task->state);
  if (const std::string workflow = WorkflowOf(found.task->spec); !workflow.empty()) {
    parts.refused = ToResponse(
        {404, "not-found",
         Concat("'", parts.id, "' is a run of workflow '", workflow, "', which has neither a source nor a verdict"),
         "GET /v1/evaluations/{id} has its report, .../artefacts/input what it was given"},
        request.target);
    co_return parts;
  }
  Result<EvaluationRequest> unpacked = UnpackRequest(found.task->spec.payload);
  if (!unpacked.ok()) {
    parts.refused = ToResponse({404, "not-found", "its payload is not an evaluation's: " + unpacked.error().message},
                               request.target);
    co_return parts;
  }
  parts.request = *std::move(unpacked);
  if (const Result<Json> result = ParseJson(found.task->result, "result"); result.ok() && result->is_object())
    parts.verdict = result->value("verdict", Json(nullptr));
  co_return parts;
}

Awaitable<Response> Source(Api& api, Request& request) {
  Parts parts = co_await Find(api, request);
  if (parts.refused) co_return *std::move(parts.refused);
  co_return Text("text/x-python; charset=utf-8", std::move(parts.request.submission.source));
}

Response NoVerdict(const Parts& parts, const Request& request) {
  if (!parts.ended)
    return ToResponse({409, "not-ended", Concat("evaluation '", parts.id, "' has not ended"),
                       "GET /v1/evaluations/{id}?wait=60 waits for it"},
                      request.target);
  return ToResponse({404, "no-verdict", Concat("evaluation '", parts.id, "' ended without a verdict")}, request.target);
}

Awaitable<Response> Log(Api& api, Request& request) {
  Parts parts = co_await Find(api, request);
  if (parts.refused) co_return *std::move(parts.refused);
  if (parts.verdict.is_null()) co_return NoVerdict(parts, request);
  co_return Text("text/plain; charset=utf-8", parts.verdict.value("log", ""));
}

/// What was seen of whose code ran, and where the time went.
Awaitable<Response> Profile(Api& api, Request& request) {
  Parts parts = co_await Find(api, request);
  if (parts.refused) co_return *std::move(parts.refused);
  if (parts.verdict.is_null()) co_return NoVerdict(parts, request);
  const Json profile = {{"own_work", parts.verdict.value("own_work", Json(nullptr))},
                        {"timing", parts.verdict.value("timing", Json(nullptr))},
                        {"stages", parts.verdict.value("stages", Json::object())}};
  co_return http::JsonResponse(profile);
}

Awaitable<Response> Replay(Api& api, Request& request) {
  Parts parts = co_await Find(api, request);
  if (parts.refused) co_return *std::move(parts.refused);
  if (parts.verdict.is_null()) co_return NoVerdict(parts, request);
  Result<judge::JudgeConfig> config = ConfigWith(api.config, parts.request.config);
  judge::JudgeConfig own = config.ok() ? *std::move(config) : api.config;
  const Json problem = parts.verdict.value("problem", Json::object());
  parts.request.problem.workload = problem.value("workload", parts.request.problem.workload);
  Response response = Text("application/octet-stream",
                           judge::PackBundle({std::move(parts.request.problem), std::move(parts.request.submission),
                                              ConfigFields(own).ToJson(), parts.verdict}));
  response.headers.push_back({"Content-Disposition", "attachment; filename=\"evaluation.kgym\""});
  co_return response;
}

}  // namespace

void AddArtefactRoutes(http::Routes& routes, Api& api) {
  using Handler = Awaitable<Response> (*)(Api&, Request&);
  struct Artefact {
    const char* name;
    const char* summary;
    const char* type;
    Handler handler;
  };
  const Json any = {{"type", "object"}};
  for (const Artefact& one :
       {Artefact{"source", "The submission's source.", "text/x-python", Source},
        Artefact{"log", "What the submission printed and its compiler said.", "text/plain", Log},
        Artefact{"profile", "Whose code ran, and where the time went.", "application/json", Profile},
        Artefact{"replay", "A bundle for `kgym replay`.", "application/octet-stream", Replay}}) {
    std::string id = Concat("get", one.name);
    id[3] = static_cast<char>(id[3] - ('a' - 'A'));
    const bool json = std::string_view(one.type) == "application/json";
    routes.Add({.method = "GET",
                .path = Concat("/v1/evaluations/{id}/artefacts/", one.name),
                .id = id,
                .summary = one.summary,
                .tag = "artefacts",
                .in_path = {IdParameter()},
                .answers = {{200, one.summary, json ? any : Json{{"type", "string"}}, one.type},
                            {404, "The evaluation is not known, not yours, or ended without a verdict."},
                            {409, "It has not ended."}},
                .handler = [&api, handler = one.handler](Request& request) { return handler(api, request); }});
  }
}

}  // namespace kgym::service
