#include "service/compat/desk.h"

#include "base/clock.h"
#include "base/text.h"
#include "service/compat/answer.h"
#include "service/compat/task.h"

namespace kgym::service::kernelgym {
namespace {

using http::Refusal;
using http::Request;

constexpr Duration kLongestBlock = 2h;  // Clients give up long before.

std::string QueueId(const std::string& id, int generation) {
  return generation == 0 ? id : Concat(id, "~", generation);
}

/// The id of the evaluation whose sub-task this would be; empty where it is none.
std::string EvaluationOf(const std::string& id) {
  for (const std::string_view suffix : {"_kernel", "_ref"}) {
    if (id.size() > suffix.size() && id.ends_with(suffix)) return id.substr(0, id.size() - suffix.size());
  }
  return "";
}

Refusal QueueRefusal(const Error& error) {
  return http::RetryLater(503, "queue", "the queue cannot be asked: " + error.message, 1s);
}

Refusal Foreign(const std::string& id) { return {409, "conflict", Concat("Task ", id, " belongs to another token")}; }

Refusal Stopping() { return http::RetryLater(503, "draining", "the server is about to stop; post it again", 5s); }

bool HasCards(const Crew& crew) {
  const Labels card = {{"device", "cuda"}};
  for (const SharedWorkerView& worker : crew.workers()) {
    for (const WorkerView::Lane& lane : worker->lanes) {
      if (Satisfies(lane.info.labels, card)) return true;
    }
  }
  return false;
}

}  // namespace

Awaitable<Result<std::optional<Known>>> Desk::Latest(std::string id) {
  std::optional<Known> latest;
  for (int generation = 0;; ++generation) {
    KGYM_CO_TRY(std::optional<Task> task, co_await api_.queue.Get(QueueId(id, generation)));
    // Whoever takes somebody else's id with a "~1" behind it does not get in between.
    if (!task || (latest && latest->task.spec.tenant != task->spec.tenant)) co_return latest;
    latest = Known{*std::move(task), generation};
  }
}

Awaitable<Result<std::optional<Known>>> Desk::Find(std::string id, const Request& request) {
  KGYM_CO_TRY(std::optional<Known> known, co_await Latest(id));
  if (const std::string whole = EvaluationOf(id); !known && !whole.empty()) {
    KGYM_CO_TRY(known, co_await Latest(whole));
  }
  const std::string tenant = TenantOf(request);
  if (known && !tenant.empty() && known->task.spec.tenant != tenant) known.reset();
  co_return known;
}

Awaitable<std::variant<Task, Refusal>> Desk::Submit(Evaluation evaluation, int generation, const Request& request) {
  const Ground ground{api_.config, request.principal->name, HasCards(api_.crew)};
  Result<TaskSpec> spec = ToSpec(evaluation, ground);
  if (!spec.ok()) co_return Refusal{422, "invalid", spec.error().message};
  spec->id = QueueId(evaluation.task_id, generation);
  std::vector<TaskSpec> specs;
  specs.push_back(*std::move(spec));
  Result<std::vector<Accepted>> accepted = co_await api_.queue.Submit(std::move(specs));
  if (!accepted.ok()) co_return QueueRefusal(accepted.error());
  Accepted& one = accepted->front();
  if (one.kind == Accepted::Kind::kFull) co_return http::RetryLater(503, "full", one.reason, one.retry_after);
  const bool theirs = one.kind == Accepted::Kind::kConflict && one.task.spec.tenant != request.principal->name;
  if (theirs) co_return Foreign(evaluation.task_id);
  co_return std::move(one.task);  // Where two posted at once with different content, the first one's.
}

Awaitable<Begun> Desk::Begin(Evaluation evaluation, const Request& request) {
  Begun begun{evaluation.task_id, Json()};
  if (api_.draining) {
    begun.what = Stopping();
    co_return begun;
  }
  Result<std::optional<Known>> known = co_await Latest(evaluation.task_id);
  if (!known.ok()) {
    begun.what = QueueRefusal(known.error());
    co_return begun;
  }
  const bool is_known = known->has_value();
  if (is_known && (*known)->task.spec.tenant != request.principal->name) {
    begun.what = Foreign(evaluation.task_id);
    co_return begun;
  }
  const bool again = is_known && Ended((*known)->task.state) && (evaluation.force_refresh || IsInfra((*known)->task));
  if (is_known && !again) {
    begun.what = std::move((*known)->task);
    co_return begun;
  }
  if (const std::string fault = Fault(evaluation); !fault.empty()) {
    begun.what = FailedResponse(evaluation.task_id, "VALIDATION_ERROR", fault);
    co_return begun;
  }
  const int generation = is_known ? (*known)->generation + (again ? 1 : 0) : 0;
  std::variant<Task, Refusal> submitted = co_await Submit(std::move(evaluation), generation, request);
  if (Task* task = std::get_if<Task>(&submitted)) {
    begun.what = std::move(*task);
  } else if (Refusal& refusal = std::get<Refusal>(submitted); refusal.status == 422) {
    begun.what = FailedResponse(begun.id, "VALIDATION_ERROR", refusal.detail);
  } else {
    begun.what = std::move(refusal);
  }
  co_return begun;
}

Awaitable<std::variant<Json, Refusal>> Desk::Finish(Begun begun, const Request& request) {
  if (Json* answer = std::get_if<Json>(&begun.what)) co_return std::move(*answer);
  if (Refusal* refusal = std::get_if<Refusal>(&begun.what)) co_return std::move(*refusal);
  Task task = std::get<Task>(std::move(begun.what));
  if (!Ended(task.state)) {
    const Result<Waited> waited = co_await AwaitEnd(api_, task.spec.id, kLongestBlock, request.hangup);
    if (!waited.ok()) co_return QueueRefusal(waited.error());
    if (waited->now() == nullptr || !Ended(waited->now()->state)) co_return Stopping();
    task = *waited->now();
  }
  co_return EvaluationResponse(task, begun.id, times_);
}

http::Response ToKernelGym(const Refusal& refusal) {
  const bool invalid = refusal.status == 400 || refusal.status == 415 || refusal.status == 422;
  const int status = invalid ? 400 : refusal.status;
  const char* code = invalid ? "VALIDATION_ERROR" : "SYSTEM_ERROR";
  Json body = {{"detail", ToUtf8(refusal.detail)}};
  if (invalid || status == 500) {
    body = {{"error", invalid ? "RequestValidationError" : "InternalServerError"},
            {"message", ToUtf8(invalid ? "Request validation failed: " + refusal.detail : refusal.detail)},
            {"error_code", code},
            {"task_id", nullptr},
            {"timestamp", WallTime()}};
  }
  http::Response response = http::JsonResponse(body, status);
  response.headers = refusal.headers;
  if (invalid || status == 500) response.headers.push_back({"X-Error-Code", code});
  return response;
}

}  // namespace kgym::service::kernelgym
