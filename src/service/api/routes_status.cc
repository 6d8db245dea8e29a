// GET /v1/queue, /v1/workers, /v1/lanes, /v1/problems, /v1/config.
#include "base/config.h"
#include "base/text.h"
#include "service/api/api.h"
#include "service/api/overview.h"

namespace kgym::service {
namespace {

using http::Request;
using http::Response;
using http::ToResponse;

Awaitable<Response> QueueStatus(Api& api, Request& request) {
  const Result<QueueStats> stats = co_await api.queue.Stats();
  if (!stats.ok()) co_return QueueFault(request, stats.error());
  co_return http::JsonResponse(QueueJson(api, *stats));
}

Awaitable<Response> Workers(Api& api, Request&) {
  Json workers = Json::array();
  for (const SharedWorkerView& worker : api.crew.workers()) workers.push_back(WorkerJson(*worker));
  const Json answer = {{"workers", std::move(workers)}};
  co_return http::JsonResponse(answer);
}

Awaitable<Response> LaneStatus(Api& api, Request&) {
  Json lanes = Json::array();
  for (const SharedWorkerView& worker : api.crew.workers()) {
    for (const WorkerView::Lane& lane : worker->lanes) {
      lanes.push_back(LaneJson(*worker, lane));
      lanes.back()["facts"] = lane.info.facts;
    }
  }
  const Json answer = {{"lanes", std::move(lanes)}};
  co_return http::JsonResponse(answer);
}

Awaitable<Response> Problems(Api& api, Request&) {
  const Json answer = {{"problems", api.catalogue.outlines()}};
  co_return http::JsonResponse(answer);
}

Awaitable<Response> OneProblem(Api& api, Request& request) {
  const std::string name = Concat(request.in_path.at("level"), "/", request.in_path.at("name"));
  const Result<judge::Problem> problem = api.catalogue.Find(name);
  if (!problem.ok()) co_return ToResponse({404, "not-found", problem.error().message}, request.target);
  const judge::ProblemOutline outline = judge::OutlineOf(problem->source);
  const Json answer = {{"name", problem->name},
                       {"sentence", outline.sentence},
                       {"workloads", outline.workloads},
                       {"source", problem->source}};
  co_return http::JsonResponse(answer);
}

Awaitable<Response> Config(Api& api, Request&) {
  judge::JudgeConfig config = api.config;
  co_return http::JsonResponse(ConfigFields(config).ToJson());
}

Json ListOf(const char* field) {
  return {{"type", "object"},
          {"required", {field}},
          {"properties", {{field, {{"type", "array"}, {"items", {{"type", "object"}}}}}}}};
}

}  // namespace

void AddStatusRoutes(http::Routes& routes, Api& api) {
  const Json object = {{"type", "object"}};
  const Json segment = {{"type", "string"}, {"minLength", 1}, {"maxLength", 200}, {"pattern", "^[ -~]+$"}};
  using Handler = Awaitable<Response> (*)(Api&, Request&);
  const auto add = [&](const char* path, const char* id, const char* summary, const Json& schema, Handler handler) {
    routes.Add({.method = "GET",
                .path = path,
                .id = id,
                .summary = summary,
                .tag = "status",
                .answers = {{200, "As it is now.", schema}},
                .handler = [&api, handler](Request& request) { return handler(api, request); }});
  };
  add("/v1/queue", "getQueue", "How many wait, by state and priority, and the counts of the queue.", object,
      QueueStatus);
  add("/v1/workers", "listWorkers", "Who runs evaluations.", ListOf("workers"), Workers);
  add("/v1/lanes", "listLanes", "The devices, what they are, and how busy.", ListOf("lanes"), LaneStatus);
  add("/v1/problems", "listProblems", "The problems that a submission may name.", ListOf("problems"), Problems);
  add("/v1/config", "getConfig", "The judge's configuration: what a submission's `config` changes.", object, Config);
  routes.Add({.method = "GET",
              .path = "/v1/problems/{level}/{name}",
              .id = "getProblem",
              .summary = "One problem, with its source.",
              .tag = "status",
              .in_path = {{"level", "The first part of its name: level1.", segment},
                          {"name", "The second part: softmax.", segment}},
              .answers = {{200, "The problem.", object}, {404, "No problem has this name."}},
              .handler = [&api](Request& request) { return OneProblem(api, request); }});
}

}  // namespace kgym::service
