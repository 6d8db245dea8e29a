#include "service/api/overview.h"

#include <algorithm>

#include "service/api/evaluation_json.h"
#include "service/api/submission.h"

namespace kgym::service {
namespace {

constexpr std::size_t kRunningShown = 64, kRecentShown = 50, kLanesShown = 256, kWorkersShown = 256;

bool Visible(const Task& task, const std::string& tenant) { return tenant.empty() || task.spec.tenant == tenant; }

Json RunningJson(const Api& api, const std::string& tenant) {
  std::vector<const Task*> running;
  for (const auto& [id, task] : api.feed.live()) {
    if (task.state == TaskState::kRunning && Visible(task, tenant)) running.push_back(&task);
  }
  std::ranges::sort(running, {}, [](const Task* task) { return task->started_ms; });
  Json lines = Json::array();
  for (const Task* task : running) {
    if (lines.size() < kRunningShown) lines.push_back(EvaluationLine(*task, std::nullopt, nullptr));
  }
  return lines;
}

Json RecentJson(const Api& api, const std::string& tenant) {
  Json lines = Json::array();
  for (const Ending& ending : api.feed.endings()) {
    if (lines.size() >= kRecentShown || !Visible(ending.task, tenant)) continue;
    lines.push_back(EvaluationLine(ending.task, std::nullopt, ending.note ? &*ending.note : nullptr));
  }
  return lines;
}

/// How many are queued and running, from what the feed knows: no question to the queue.
Json LiveJson(const Api& api) {
  std::int64_t queued = 0, running = 0;
  for (const auto& [id, task] : api.feed.live()) (task.state == TaskState::kRunning ? running : queued) += 1;
  return {{"queued", queued}, {"running", running}};
}

}  // namespace

Json Overview(Api& api, const std::string& tenant) {
  const FeedCounts& counts = api.feed.counts();
  const std::vector<SharedWorkerView> crew = api.crew.workers();
  Json workers = Json::array(), lanes = Json::array();
  for (const SharedWorkerView& worker : crew) {
    if (workers.size() < kWorkersShown) workers.push_back(WorkerJson(*worker));
    for (const WorkerView::Lane& lane : worker->lanes) {
      if (lanes.size() < kLanesShown) lanes.push_back(LaneJson(*worker, lane));
    }
  }
  Json ended = Json::object();
  for (const TaskState state : {TaskState::kDone, TaskState::kCancelled, TaskState::kDead})
    ended[std::string(Name(state))] = counts.ended[static_cast<std::size_t>(state)];
  return {{"version", api.version},
          {"at", TimeJson(api.clock.NowMs())},
          {"uptime_s", ToSeconds(std::chrono::steady_clock::now() - api.started)},
          {"draining", api.draining},
          {"queue", LiveJson(api)},
          {"ended", std::move(ended)},
          {"ended_per_s", api.feed.EndedPerSecond()},
          {"outcomes", counts.outcomes},
          {"worker", WorkerJson(*api.crew.own())},
          {"workers", std::move(workers)},
          {"lanes", std::move(lanes)},
          {"running", RunningJson(api, tenant)},
          {"recent", RecentJson(api, tenant)}};
}

Json QueueJson(Api& api, const QueueStats& stats) {
  Json states = Json::object(), ended = Json::object(), priorities = Json::object();
  for (std::size_t i = 0; i < kTaskStates; ++i) {
    const auto state = static_cast<TaskState>(i);
    states[std::string(Name(state))] = stats.by_state[i];
    if (Ended(state)) ended[std::string(Name(state))] = stats.ended[i];
  }
  for (int i = 0; i < kPriorities; ++i)
    priorities[std::string(PriorityName(i))] = stats.queued_by_priority[static_cast<std::size_t>(i)];
  return {{"kind", api.queue_kind},
          {"states", std::move(states)},
          {"queued_by_priority", std::move(priorities)},
          {"attached", stats.attached},
          {"oldest_queued_at", TimeJson(stats.oldest_queued_ms)},
          {"accepted", stats.accepted},
          {"redelivered", stats.redelivered},
          {"stale", stats.stale},
          {"ended", std::move(ended)},
          {"ended_per_s", api.feed.EndedPerSecond()},
          {"draining", api.draining}};
}

Json WorkerJson(const WorkerView& worker) {
  int running = 0;
  for (const WorkerView::Lane& lane : worker.lanes) running += lane.running;
  return {{"name", worker.name},          {"version", worker.version.empty() ? Json(nullptr) : Json(worker.version)},
          {"state", Name(worker.state)},  {"fault", worker.fault.empty() ? Json(nullptr) : Json(worker.fault)},
          {"lanes", worker.lanes.size()}, {"running", running},
          {"stopped", worker.stopped},    {"handed_back", worker.returned}};
}

Json LaneJson(const WorkerView& worker, const WorkerView::Lane& lane) {
  return {{"name", lane.info.name},
          {"worker", worker.name},
          {"state", LaneState(worker, lane)},
          {"fault", lane.fault.empty() ? Json(nullptr) : Json(lane.fault)},
          {"labels", lane.info.labels},
          {"slots", lane.info.slots},
          {"running", lane.running},
          {"done", lane.done},
          {"failed", lane.failed},
          {"busy_s", lane.busy_s}};
}

}  // namespace kgym::service
