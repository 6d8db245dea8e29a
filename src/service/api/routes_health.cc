// GET /health, /health/live, /health/ready, /metrics, /openapi.json: what other programs ask of a server.
#include "base/text.h"
#include "service/api/api.h"
#include "service/api/overview.h"

namespace kgym::service {
namespace {

using http::Request;
using http::Response;

/// Whether it can be given work, and why not.
struct Health {
  bool ready = false;
  std::string why;
};

Awaitable<Health> Look(Api& api) {
  const Result<QueueStats> stats = co_await api.queue.Stats();
  if (!stats.ok()) co_return Health{false, "the queue cannot be asked: " + stats.error().message};
  if (api.draining) co_return Health{false, "the server is about to stop"};
  if (api.crew.ready()) co_return Health{true, ""};
  const SharedWorkerView own = api.crew.own();
  if (own->state == WorkerView::State::kStarting) co_return Health{false, "the lanes are getting ready"};
  if (own->state == WorkerView::State::kFailed) co_return Health{false, "the lanes did not start: " + own->fault};
  co_return Health{false, "no worker has lanes; start one with `kgym worker --join`"};
}

/// Healthy while lanes get ready: what is submitted waits, and is not lost.
Awaitable<Response> Healthy(Api& api, Request&) {
  const Health health = co_await Look(api);
  const bool failed = api.crew.own()->state == WorkerView::State::kFailed && !api.crew.ready();
  const bool sick = failed || health.why.starts_with("the queue");
  std::size_t lanes = 0;
  for (const SharedWorkerView& worker : api.crew.workers()) lanes += worker->lanes.size();
  const Json answer = {{"status", sick ? "unhealthy" : "healthy"},
                       {"ready", health.ready},
                       {"detail", health.why},
                       {"version", api.version},
                       {"uptime_s", ToSeconds(std::chrono::steady_clock::now() - api.started)},
                       {"lanes", lanes}};
  co_return http::JsonResponse(answer, sick ? 503 : 200);
}

Awaitable<Response> Live(Api&, Request&) {
  const Json answer = {{"status", "live"}};
  co_return http::JsonResponse(answer);
}

Awaitable<Response> Ready(Api& api, Request& request) {
  const Health health = co_await Look(api);
  if (!health.ready) co_return ToResponse(http::RetryLater(503, "not-ready", health.why, 1s), request.target);
  const Json answer = {{"status", "ready"}};
  co_return http::JsonResponse(answer);
}

/// The table's own, with the names that a problem and a workflow may have: the check of those is the catalogues', whose
/// errors say more.
Awaitable<Response> Document(const http::Routes& routes, const Api& api) {
  Json document = http::OpenApi(routes, "kgym", api.version, api.open);
  Json names = Json::array();
  for (const Json& problem : api.catalogue.outlines()) names.push_back(problem["name"]);
  Json& schemas = document["components"]["schemas"];
  Json& problem = schemas["EvaluationSubmission"]["properties"]["problem"]["oneOf"];
  if (names.empty()) problem.erase(0);
  if (!names.empty()) problem[0]["enum"] = std::move(names);
  Json workflows = Json::array();
  for (const Json& workflow : api.workflows.outlines()) workflows.push_back(workflow["name"]);
  if (!workflows.empty()) schemas["WorkflowSubmission"]["properties"]["workflow"]["enum"] = std::move(workflows);
  co_return http::JsonResponse(document);
}

}  // namespace

void AddHealthRoutes(http::Routes& routes, Api& api) {
  const Json object = {{"type", "object"}};
  using Handler = Awaitable<Response> (*)(Api&, Request&);
  const auto add = [&](const char* path, const char* id, const char* summary, Handler handler, bool may_fail) {
    std::vector<http::Answer> answers = {{200, "It is.", object}};
    if (may_fail) answers.push_back({503, "It is not; `detail` says why."});
    routes.Add({.method = "GET",
                .path = path,
                .id = id,
                .summary = summary,
                .tag = "health",
                .scope = http::Scope::kNone,
                .answers = std::move(answers),
                .handler = [&api, handler](Request& request) { return handler(api, request); }});
  };
  add("/health", "getHealth", "Whether the server works, and what it waits for.", Healthy, false);
  add("/health/live", "getLive", "Whether the process answers.", Live, false);
  add("/health/ready", "getReady", "Whether it runs evaluations now.", Ready, true);
  routes.Add({.method = "GET",
              .path = "/metrics",
              .id = "getMetrics",
              .summary = "Counts, in Prometheus' text format.",
              .tag = "status",
              .answers = {{200, "Now.", Json{{"type", "string"}}, "text/plain"}},
              .handler = [&api](Request&) { return Metrics(api); }});
  routes.Add({.method = "GET",
              .path = "/openapi.json",
              .id = "getOpenApi",
              .summary = "This document.",
              .tag = "health",
              .scope = http::Scope::kNone,
              .answers = {{200, "OpenAPI 3.1.", object}},
              .handler = [&api, &routes](Request&) { return Document(routes, api); }});
}

}  // namespace kgym::service
