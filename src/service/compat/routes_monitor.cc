// Below /kernelgym: /, /health, /metrics. Everywhere: /queue/status, /monitoring/*.
#include "base/clock.h"
#include "base/text.h"
#include "service/compat/machine_load.h"
#include "service/compat/routes.h"

namespace kgym::service::kernelgym {
namespace {

using http::Request;
using http::Response;

std::int64_t Count(const QueueStats& stats, TaskState state) { return stats.by_state[static_cast<std::size_t>(state)]; }

std::int64_t Ended(const QueueStats& stats) {
  std::int64_t all = 0;
  for (const std::int64_t count : stats.ended) all += count;
  return all;
}

Response QueueFailed(const Error& error) { return Detail(503, "the queue cannot be asked: " + error.message); }

Awaitable<Response> Root(Front&, Request&) {
  const Json answer = {{"name", "KernelGym"},
                       {"version", "1.0.0"},
                       {"description", "GPU Kernel Evaluation Service"},
                       {"timestamp", WallTime()}};
  co_return http::JsonResponse(answer);
}

/// A lane and whose it is.
struct Place {
  SharedWorkerView worker;
  const WorkerView::Lane& lane;

  std::string Name() const { return Concat(worker->name, "_", lane.info.name); }
};

std::vector<Place> PlacesOf(const Crew& crew) {
  std::vector<Place> places;
  for (const SharedWorkerView& worker : crew.workers()) {
    for (const WorkerView::Lane& lane : worker->lanes) places.push_back({worker, lane});
  }
  return places;
}

/// Cards of this machine by the lane's name, of others by the worker's too; what only a context on the card could tell
/// is null.
Json Cards(const Crew& crew) {
  Json cards = Json::object();
  for (const Place& place : PlacesOf(crew)) {
    const auto card = place.lane.info.labels.find("card");
    if (card == place.lane.info.labels.end()) continue;
    const bool ours = place.worker->name == crew.own()->name;
    cards[ours ? place.lane.info.name : place.Name()] = {
        {"name", card->second},           {"memory_total", nullptr},
        {"memory_allocated", nullptr},    {"memory_reserved", nullptr},
        {"memory_used_percent", nullptr}, {"available", LaneState(*place.worker, place.lane) == "ready"}};
  }
  if (cards.empty()) cards["error"] = "no lane is a GPU";
  return cards;
}

Awaitable<Response> Health(Front& front, Request&) {
  Api& api = front.desk.api();
  const Result<QueueStats> stats = co_await api.queue.Stats();
  if (!stats.ok()) co_return QueueFailed(stats.error());
  const bool sick = api.crew.own()->state == WorkerView::State::kFailed && !api.crew.ready();
  const Json answer = {{"status", sick ? "unhealthy" : "healthy"},
                       {"timestamp", WallTime()},
                       {"gpu_status", Cards(api.crew)},
                       {"queue_status",
                        {{"pending", Count(*stats, TaskState::kQueued)},
                         {"processing", Count(*stats, TaskState::kRunning)},
                         {"completed", Count(*stats, TaskState::kDone)}}},
                       {"memory_usage", MachineLoad()},
                       {"active_tasks", Count(*stats, TaskState::kRunning)},
                       {"total_processed", Ended(*stats)},
                       {"uptime", ToSeconds(std::chrono::steady_clock::now() - api.started)}};
  co_return http::JsonResponse(answer, sick ? 503 : 200);
}

/// What the feed has counted since the server started, by outcome.
struct Tally {
  std::int64_t all = 0, ok = 0, compile = 0, runtime = 0, timeout = 0;
};

Tally TallyOf(const FeedCounts& counts) {
  Tally tally;
  for (const auto& [outcome, count] : counts.outcomes) {
    tally.all += count;
    if (outcome == "ok") tally.ok += count;
    if (outcome == "fail:compile" || outcome == "fail:load" || outcome == "fail:format") tally.compile += count;
    if (outcome == "fail:runtime" || outcome == "fail:crash" || outcome == "fail:oom") tally.runtime += count;
    if (outcome == "fail:timeout") tally.timeout += count;
  }
  return tally;
}

Awaitable<Response> Metrics(Front& front, Request&) {
  Api& api = front.desk.api();
  const Result<QueueStats> stats = co_await api.queue.Stats();
  if (!stats.ok()) co_return QueueFailed(stats.error());
  const FeedCounts& counts = api.feed.counts();
  const Tally tally = TallyOf(counts);
  double busy_s = 0, slots = 0, running = 0;
  for (const Place& place : PlacesOf(api.crew))
    busy_s += place.lane.busy_s, slots += place.lane.info.slots, running += place.lane.running;
  const Json load = MachineLoad();
  const Json answer = {
      {"timestamp", WallTime()},
      {"performance_metrics",
       {{"avg_processing_time", tally.all > 0 ? busy_s / static_cast<double>(tally.all) : 0},
        {"throughput_per_hour", 3600 * api.feed.EndedPerSecond()},
        {"success_rate", tally.all > 0 ? static_cast<double>(tally.ok) / static_cast<double>(tally.all) : 0}}},
      {"resource_metrics",
       {{"avg_gpu_utilization", slots > 0 ? 100 * running / slots : 0},
        {"memory_usage_percent", load["memory_percent"]},
        {"cpu_usage_percent", load["cpu_percent"]}}},
      {"queue_metrics",
       {{"pending_tasks", Count(*stats, TaskState::kQueued)},
        {"active_tasks", Count(*stats, TaskState::kRunning)},
        {"completed_tasks", Count(*stats, TaskState::kDone)}}},
      {"error_metrics",
       {{"compilation_errors", tally.compile}, {"runtime_errors", tally.runtime}, {"timeout_errors", tally.timeout}}}};
  co_return http::JsonResponse(answer);
}

Awaitable<Response> QueueStatus(Front& front, Request&) {
  Api& api = front.desk.api();
  const Result<QueueStats> stats = co_await api.queue.Stats();
  if (!stats.ok()) co_return QueueFailed(stats.error());
  const std::int64_t pending = Count(*stats, TaskState::kQueued);
  Json queues = Json::object();
  for (const Place& place : PlacesOf(api.crew)) queues[place.Name()] = 0;
  const Json answer = {
      {"pending", pending}, {"pending_by_prefix", {{"kernelgym", pending}}}, {"worker_queues", std::move(queues)}};
  co_return http::JsonResponse(answer);
}

/// A code that fails runs again as any other does: none is remembered as bad.
Awaitable<Response> ProblematicCodes(Front&, Request& request) {
  const Json answer = {{"status", "success"},
                       {"min_errors_threshold", request.QueryInt("min_errors", 3)},
                       {"problematic_codes", Json::array()},
                       {"total_count", 0}};
  co_return http::JsonResponse(answer);
}

/// What is to be tried again waits in the queue with all others.
Awaitable<Response> RetryQueue(Front&, Request&) {
  const Json answer = {{"status", "success"}, {"retry_queue_size", 0}, {"next_retries", Json::array()}};
  co_return http::JsonResponse(answer);
}

Awaitable<Response> WorkerHealth(Front& front, Request&) {
  Json workers = Json::object();
  for (const Place& place : PlacesOf(front.desk.api().crew)) {
    workers[place.Name()] = {{"device", place.lane.info.name},
                             {"status", LaneState(*place.worker, place.lane)},
                             {"tasks_processed", place.lane.done},
                             {"cuda_error_shutdown", place.worker->state == WorkerView::State::kFailed}};
  }
  const Json answer = {{"status", "success"}, {"workers", std::move(workers)}};
  co_return http::JsonResponse(answer);
}

Awaitable<Response> ClearErrors(Front&, Request& request) {
  const Json answer = {{"status", "success"},
                       {"message", Concat("Error history cleared for ", request.in_path.at("code_hash"))}};
  co_return http::JsonResponse(answer);
}

}  // namespace

void AddMonitorRoutes(Table& table) {
  using http::Scope;
  table.AddBelow("GET", "/kernelgym", "kgRoot", "Name and version.", Scope::kNone, Root);
  table.AddBelow("GET", "/kernelgym/", "kgRootSlash", "Name and version.", Scope::kNone, Root);
  table.AddBelow("GET", "/kernelgym/health", "kgHealth", "Whether it works.", Scope::kNone, Health);
  table.AddBelow("GET", "/kernelgym/metrics", "kgMetrics", "Counts, as JSON.", Scope::kRead, Metrics);
  table.Add("GET", "/queue/status", "kgQueue", "How many wait.", Scope::kRead, QueueStatus);
  table.Add(
      "GET", "/monitoring/problematic-codes", "kgProblematic", "Always empty.", Scope::kRead, ProblematicCodes,
      {{"min_errors", "Ignored.", {{"type", "integer"}, {"minimum", -1'000'000'000}, {"maximum", 1'000'000'000}}}});
  table.Add("GET", "/monitoring/retry-queue", "kgRetries", "Always empty.", Scope::kRead, RetryQueue);
  table.Add("GET", "/monitoring/worker-health", "kgWorkerHealth", "Lanes of all workers.", Scope::kRead, WorkerHealth);
  table.Add("POST", "/monitoring/clear-error-history/{code_hash}", "kgClearErrors", "Nothing is kept to be cleared.",
            Scope::kAdmin, ClearErrors);
}

}  // namespace kgym::service::kernelgym
