// /metrics: what the server counted, and what the queue says of itself.
#include "service/api/api.h"
#include "service/api/build_store.h"
#include "service/api/exposition.h"
#include "service/api/submission.h"

namespace kgym::service {
namespace {

void AddQueue(Exposition& text, const QueueStats& stats, double now_ms) {
  text.Metric("kgym_queue_tasks", "gauge", "Tasks that the queue keeps, by state.");
  for (std::size_t i = 0; i < kTaskStates; ++i)
    text.Sample({{"state", std::string(Name(static_cast<TaskState>(i)))}}, static_cast<double>(stats.by_state[i]));
  text.Metric("kgym_queue_waiting", "gauge", "Queued tasks, by priority.");
  for (int i = 0; i < kPriorities; ++i)
    text.Sample({{"priority", std::string(PriorityName(i))}},
                static_cast<double>(stats.queued_by_priority[static_cast<std::size_t>(i)]));
  text.Metric("kgym_queue_attached", "gauge", "Queued tasks that wait for identical work.");
  text.Sample({}, static_cast<double>(stats.attached));
  const double oldest = static_cast<double>(stats.oldest_queued_ms);
  text.Metric("kgym_queue_oldest_seconds", "gauge", "Age of the oldest queued task; 0 where none waits.");
  text.Sample({}, oldest > 0 ? std::max(0.0, now_ms - oldest) / 1000 : 0);
  text.Metric("kgym_tasks_accepted_total", "counter", "Tasks that the queue took, since it was opened.");
  text.Sample({}, static_cast<double>(stats.accepted));
  text.Metric("kgym_tasks_redelivered_total", "counter", "Tasks queued again after a lost lease or a failure.");
  text.Sample({}, static_cast<double>(stats.redelivered));
  text.Metric("kgym_tasks_stale_total", "counter", "Completions, failures and hand-backs that came too late.");
  text.Sample({}, static_cast<double>(stats.stale));
  text.Metric("kgym_tasks_ended_total", "counter", "Tasks that ended, by state, since the queue was opened.");
  for (const TaskState state : {TaskState::kDone, TaskState::kCancelled, TaskState::kDead})
    text.Sample({{"state", std::string(Name(state))}},
                static_cast<double>(stats.ended[static_cast<std::size_t>(state)]));
}

void AddFeed(Exposition& text, Feed& feed) {
  const FeedCounts& counts = feed.counts();
  text.Metric("kgym_outcomes_total", "counter",
              "Verdicts and reports of workflows by outcome, since the server started.");
  for (const auto& [outcome, count] : counts.outcomes) text.Sample({{"outcome", outcome}}, static_cast<double>(count));
  const auto histogram = [&](const char* name, const char* help, const Histogram& one) {
    text.Metric(name, "histogram", help);
    text.Histogram({}, one.bounds(), one.at_most(), one.count(), one.sum());
  };
  histogram("kgym_task_wait_seconds", "From submission to the start of the first attempt.", counts.wait);
  histogram("kgym_task_run_seconds", "From the start of the last attempt to the end.", counts.run);
}

void AddCrew(Exposition& text, const std::vector<SharedWorkerView>& crew) {
  const auto workers = [&](const char* name, const char* type, const char* help, auto value) {
    text.Metric(name, type, help);
    for (const SharedWorkerView& worker : crew)
      text.Sample({{"worker", worker->name}}, static_cast<double>(value(*worker)));
  };
  const auto lanes = [&](const char* name, const char* type, const char* help, auto value) {
    text.Metric(name, type, help);
    for (const SharedWorkerView& worker : crew) {
      for (const WorkerView::Lane& lane : worker->lanes)
        text.Sample({{"worker", worker->name}, {"lane", lane.info.name}}, static_cast<double>(value(lane)));
    }
  };
  workers("kgym_worker_ready", "gauge", "1 while the lanes take tasks.",
          [](const auto& worker) { return worker.state == WorkerView::State::kReady ? 1 : 0; });
  lanes("kgym_lane_slots", "gauge", "Tasks that may share the lane.", [](const auto& lane) { return lane.info.slots; });
  lanes("kgym_lane_running", "gauge", "Tasks on the lane.", [](const auto& lane) { return lane.running; });
  lanes("kgym_lane_quarantined", "gauge", "1 while the lane is out of use, because its device does not work.",
        [](const auto& lane) { return lane.fault.empty() ? 0 : 1; });
  lanes("kgym_lane_done_total", "counter", "Tasks that ended on the lane with a result.",
        [](const auto& lane) { return lane.done; });
  lanes("kgym_lane_failed_total", "counter", "Attempts on the lane that are to be tried again.",
        [](const auto& lane) { return lane.failed; });
  lanes("kgym_lane_busy_seconds_total", "counter", "Seconds that tasks held the lane, one by one.",
        [](const auto& lane) { return lane.busy_s; });
  workers("kgym_worker_stopped_total", "counter", "Tasks that were stopped while they ran.",
          [](const auto& worker) { return worker.stopped; });
}

void AddBuilds(Exposition& text, const BuildStoreCounts& counts) {
  const auto one = [&](const char* name, const char* type, const char* help, std::int64_t value) {
    text.Metric(name, type, help);
    text.Sample({}, static_cast<double>(value));
  };
  one("kgym_builds_kept", "gauge", "Builds that are kept for workers.", counts.builds);
  one("kgym_builds_bytes", "gauge", "Bytes of these.", counts.bytes);
  one("kgym_builds_taken_total", "counter", "Builds that a worker offered and that were new.", counts.taken);
  one("kgym_builds_dropped_total", "counter", "Builds that made room for others.", counts.dropped);
  one("kgym_builds_hits_total", "counter", "Builds that a lane asked for and that were there.", counts.hits);
  one("kgym_builds_misses_total", "counter", "Builds that a lane asked for in vain.", counts.misses);
}

void AddHttp(Exposition& text, const Api& api) {
  const http::ServerStats stats = api.server->stats();
  const auto one = [&](const char* name, const char* type, const char* help, double value) {
    text.Metric(name, type, help);
    text.Sample({}, value);
  };
  one("kgym_http_connections", "gauge", "Open connections.", static_cast<double>(stats.open));
  one("kgym_http_connections_total", "counter", "Connections accepted.", static_cast<double>(stats.accepted));
  one("kgym_http_turned_away_total", "counter", "Connections beyond the most.", static_cast<double>(stats.turned_away));
  one("kgym_http_malformed_total", "counter", "Requests that could not be read.", static_cast<double>(stats.malformed));
  one("kgym_http_timed_out_total", "counter", "Connections ended for being slow.",
      static_cast<double>(stats.timed_out));
  one("kgym_http_received_bytes_total", "counter", "Bytes of request bodies.", static_cast<double>(stats.bytes_in));
  one("kgym_http_sent_bytes_total", "counter", "Bytes of answers.", static_cast<double>(stats.bytes_out));
  text.Metric("kgym_http_request_seconds", "histogram", "Time to an answer, by route, method and status.");
  for (const auto& [key, meter] : api.site->meters()) {
    const auto& [route, method, status] = key;
    text.Histogram({{"route", route}, {"method", method}, {"status", std::to_string(status)}},
                   http::RouteMeter::kBounds, meter.at_most, meter.count, meter.seconds);
  }
}

}  // namespace

Awaitable<http::Response> Metrics(Api& api) {
  Exposition text;
  const Result<QueueStats> stats = co_await api.queue.Stats();
  text.Metric("kgym_queue_up", "gauge", "1 where the queue answers.");
  text.Sample({}, stats.ok() ? 1 : 0);
  if (stats.ok()) AddQueue(text, *stats, static_cast<double>(api.clock.NowMs()));
  AddFeed(text, api.feed);
  AddCrew(text, api.crew.workers());
  AddBuilds(text, api.builds.counts());
  AddHttp(text, api);
  http::Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = text.text();
  co_return response;
}

}  // namespace kgym::service
