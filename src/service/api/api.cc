#include "service/api/api.h"

#include "base/text.h"
#include "service/api/evaluation_json.h"
#include "service/api/hangup_watch.h"
#include "service/api/submission.h"

namespace kgym::service {
namespace {

http::Refusal NotFound(const std::string& id) {
  return {404, "not-found",
          Concat("no evaluation '", TruncateUtf8(id, 80), "': it was never submitted, or is forgotten"),
          "GET /v1/evaluations lists all that are kept"};
}

}  // namespace

void AddRoutes(http::Routes& routes, Api& api) {
  routes.AddSchema("Submission", SubmissionSchema());
  routes.AddSchema("EvaluationSubmission", EvaluationSubmissionSchema());
  routes.AddSchema("WorkflowSubmission", WorkflowSubmissionSchema());
  routes.AddSchema("Evaluation", EvaluationSchema());
  routes.AddSchema("EvaluationLine", EvaluationLineSchema());
  AddSubmitRoutes(routes, api);
  AddEvaluationRoutes(routes, api);
  AddEventRoutes(routes, api);
  AddArtefactRoutes(routes, api);
  AddWorkflowRoutes(routes, api);
  AddStatusRoutes(routes, api);
  AddHealthRoutes(routes, api);
  AddWorkRoutes(routes, api);
  AddBuildRoutes(routes, api);
}

std::string TenantOf(const http::Request& request) {
  const http::Principal* who = request.principal;
  return who == nullptr || who->admin ? "" : who->name;
}

Awaitable<FoundTask> FindTask(Api& api, const http::Request& request) {
  const std::string& id = request.in_path.at("id");
  Result<std::optional<Task>> task = co_await api.queue.Get(id);
  FoundTask found;
  if (!task.ok()) {
    found.refused = QueueFault(request, task.error());
    co_return found;
  }
  const std::string tenant = TenantOf(request);
  const bool theirs = *task && !tenant.empty() && (*task)->spec.tenant != tenant;
  if (*task && !theirs) {
    found.task = std::move(*task);
  } else {
    found.refused = http::ToResponse(NotFound(id), request.target);
  }
  co_return found;
}

Awaitable<Result<Waited>> AwaitEnd(Api& api, std::string id, Duration wait, http::Hangup* hangup) {
  http::Signal signal(api.executor);
  Follower follower(api.feed, id, signal);
  const HangupWatch client(hangup, signal);
  const Instant until = std::chrono::steady_clock::now() + wait;
  for (;;) {
    KGYM_CO_TRY(std::optional<Task> task, co_await api.queue.Get(id));
    const bool over = !task || Ended(task->state);
    if (over || client.gone() || std::chrono::steady_clock::now() >= until) co_return Waited{nullptr, std::move(task)};
    bool ended = false, time_left = true;
    while (time_left && !ended && !follower.lost && !client.gone()) {
      time_left = co_await signal.WaitUntil(until);
      for (const Task& change : follower.changes) ended = ended || Ended(change.state);
      follower.changes.clear();
    }
    follower.lost = false;
    if (!ended) continue;
    KGYM_CO_TRY(std::shared_ptr<const TaskEnd> end, co_await api.ends.Read(id));
    if (end) co_return Waited{std::move(end), std::nullopt};
  }
}

http::Response QueueFault(const http::Request& request, const Error& error) {
  return http::ToResponse(http::RetryLater(503, "queue", Concat("the queue cannot be asked: ", error.message), 1s),
                          request.target);
}

http::Parameter IdParameter() {
  return {
      "id", "Of an evaluation.", {{"type", "string"}, {"minLength", 1}, {"maxLength", 200}, {"pattern", "^[ -~]+$"}}};
}

http::Parameter WaitParameter() {
  return {"wait",
          "Seconds to wait for the end; the answer comes sooner where it ends sooner.",
          {{"type", "number"}, {"minimum", 0}, {"maximum", kLongestWait}, {"default", 0}}};
}

Json Shown(const Api& api, const Task& task) {
  Json json = EvaluationJson(task, api.feed.Position(task));
  if (const std::string why = api.crew.WhyItWaits(task); !why.empty()) json["waits_for"] = why;
  return json;
}

Json SchemaRef(const std::string& name) { return {{"$ref", "#/components/schemas/" + name}}; }

}  // namespace kgym::service
