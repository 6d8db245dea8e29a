// GET /v1/evaluations, GET and DELETE /v1/evaluations/{id}.
#include "base/text.h"
#include "service/api/api.h"
#include "service/api/evaluation_json.h"

namespace kgym::service {
namespace {

using http::Request;
using http::Response;
using http::ToResponse;

constexpr int kPage = 100, kMostInPage = 1000;

Awaitable<Response> GetOne(Api& api, Request& request) {
  FoundTask found = co_await FindTask(api, request);
  if (found.refused) co_return *std::move(found.refused);
  Task task = *std::move(found.task);
  const double wait = request.QueryDouble("wait", 0);
  if (wait > 0 && !Ended(task.state)) {
    const auto limit = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(wait));
    Result<Waited> waited = co_await AwaitEnd(api, task.spec.id, limit, request.hangup);
    if (!waited.ok()) co_return QueueFault(request, waited.error());
    if (waited->end) co_return http::JsonTextResponse(waited->end->json);
    if (waited->task) task = *std::move(waited->task);
  }
  co_return http::JsonResponse(Shown(api, task));
}

Awaitable<Response> CancelOne(Api& api, Request& request) {
  FoundTask found = co_await FindTask(api, request);
  if (found.refused) co_return *std::move(found.refused);
  Result<std::optional<Task>> task = co_await api.queue.Cancel(found.task->spec.id);
  if (!task.ok()) co_return QueueFault(request, task.error());
  if (!*task) {  // Forgotten just now.
    found = co_await FindTask(api, request);
    co_return found.refused.value_or(Response{.status = 404});
  }
  co_return http::JsonResponse(EvaluationJson(**task, std::nullopt));
}

Awaitable<Response> ListThem(Api& api, Request& request) {
  ListFilter filter;
  filter.state = ParseTaskState(request.QueryText("state"));
  filter.run = request.QueryText("run");
  const std::string tenant = TenantOf(request);
  filter.tenant = tenant.empty() ? request.QueryText("tenant") : tenant;
  const auto limit = static_cast<int>(request.QueryInt("limit", kPage));
  Result<ListPage> page = co_await api.queue.List(filter, request.QueryText("cursor"), limit);
  if (!page.ok() && page.error().message.starts_with("cursor:"))
    co_return ToResponse({422, "invalid", "parameter " + page.error().message, "pass on `next` of the page before"},
                         request.target);
  if (!page.ok()) co_return QueueFault(request, page.error());
  Json lines = Json::array();
  for (const Task& task : page->tasks) {
    lines.push_back(EvaluationLine(task, api.feed.Position(task), api.feed.Note(task.spec.id)));
    if (const std::string why = api.crew.WhyItWaits(task); !why.empty()) lines.back()["waits_for"] = why;
  }
  const Json answer = {{"evaluations", std::move(lines)},
                       {"next", page->next.empty() ? Json(nullptr) : Json(page->next)}};
  co_return http::JsonResponse(answer);
}

Json ListSchema() {
  return {{"type", "object"},
          {"required", {"evaluations", "next"}},
          {"properties",
           {{"evaluations", {{"type", "array"}, {"items", SchemaRef("EvaluationLine")}}},
            {"next", {{"type", {"string", "null"}}, {"description", "The cursor of the next page."}}}}}};
}

std::vector<http::Parameter> Filters() {
  const Json text = {{"type", "string"}, {"minLength", 1}, {"maxLength", 200}, {"pattern", "^[ -~]+$"}};
  return {{"state",
           "Only those in this state.",
           {{"type", "string"}, {"enum", {"queued", "running", "done", "cancelled", "dead"}}}},
          {"run", "Only those of this run.", text},
          {"tenant", "Only those of this token; of use to an admin.", text},
          {"cursor", "`next` of the page before.", {{"type", "string"}, {"maxLength", 18}, {"pattern", "^[0-9]+$"}}},
          {"limit",
           "How many at most.",
           {{"type", "integer"}, {"minimum", 1}, {"maximum", kMostInPage}, {"default", kPage}}}};
}

}  // namespace

void AddEvaluationRoutes(http::Routes& routes, Api& api) {
  routes.Add({.method = "GET",
              .path = "/v1/evaluations",
              .id = "listEvaluations",
              .summary = "List evaluations, the newest first.",
              .tag = "evaluations",
              .query = Filters(),
              .answers = {{200, "A page.", ListSchema()}},
              .handler = [&api](Request& request) { return ListThem(api, request); }});
  routes.Add({.method = "GET",
              .path = "/v1/evaluations/{id}",
              .id = "getEvaluation",
              .summary = "One evaluation, with its verdict once it has one; with `wait` a long-poll.",
              .tag = "evaluations",
              .in_path = {IdParameter()},
              .query = {WaitParameter()},
              .answers = {{200, "As it is now.", SchemaRef("Evaluation")}, {404, "It is not known, or not yours."}},
              .handler = [&api](Request& request) { return GetOne(api, request); }});
  routes.Add({.method = "DELETE",
              .path = "/v1/evaluations/{id}",
              .id = "cancelEvaluation",
              .summary = "Cancel it: what runs is stopped. One that has ended stays as it is.",
              .tag = "evaluations",
              .scope = http::Scope::kSubmit,
              .in_path = {IdParameter()},
              .answers = {{200, "As it is now.", SchemaRef("Evaluation")}, {404, "It is not known, or not yours."}},
              .handler = [&api](Request& request) { return CancelOne(api, request); }});
}

}  // namespace kgym::service
