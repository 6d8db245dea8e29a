#include "service/api/worker_view.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace kgym::service {
namespace {

constexpr std::array<std::string_view, 5> kStates = {"starting", "ready", "failed", "draining", "gone"};
constexpr std::size_t kMostLanes = 100'000;

Result<Labels> ReadLabels(const Json& lane) {
  KGYM_TRY(const Json* json, GetObject(lane, "labels"));
  Labels labels;
  for (const auto& [name, value] : json->items()) {
    if (!value.is_string()) return Error{Concat("field 'labels': '", name, "' is not a string, which is expected")};
    labels[name] = value.get<std::string>();
  }
  return labels;
}

Result<WorkerView::Lane> ReadLane(const Json& json) {
  WorkerView::Lane lane;
  KGYM_TRY(lane.info.name, GetString(json, "name"));
  KGYM_TRY(lane.info.labels, ReadLabels(json));
  KGYM_TRY(const std::int64_t slots, GetInt(json, "slots"));
  KGYM_TRY(const std::int64_t running, GetInt(json, "running"));
  KGYM_TRY(const Json* facts, GetObject(json, "facts"));
  KGYM_TRY(lane.fault, GetString(json, "fault"));
  KGYM_TRY(lane.done, GetInt(json, "done"));
  KGYM_TRY(lane.failed, GetInt(json, "failed"));
  KGYM_TRY(lane.busy_s, GetDouble(json, "busy_s"));
  if (slots < 1 || slots > 100'000) return Error{Concat("field 'slots': ", slots, "; 1 to 100000 is expected")};
  lane.info.slots = static_cast<int>(slots);
  lane.info.facts = *facts;
  lane.running = static_cast<int>(running);
  return lane;
}

}  // namespace

std::string_view Name(WorkerView::State state) { return kStates[static_cast<std::size_t>(state)]; }

std::string_view LaneState(const WorkerView& worker, const WorkerView::Lane& lane) {
  if (worker.state == WorkerView::State::kReady && !lane.fault.empty()) return "quarantined";
  return Name(worker.state);
}

Json WorkerViewJson(const WorkerView& worker) {
  Json lanes = Json::array();
  for (const WorkerView::Lane& lane : worker.lanes) {
    lanes.push_back({{"name", lane.info.name},
                     {"labels", lane.info.labels},
                     {"slots", lane.info.slots},
                     {"facts", lane.info.facts},
                     {"fault", lane.fault},
                     {"running", lane.running},
                     {"done", lane.done},
                     {"failed", lane.failed},
                     {"busy_s", lane.busy_s}});
  }
  return {{"name", worker.name},        {"version", worker.version}, {"state", Name(worker.state)},
          {"fault", worker.fault},      {"lanes", std::move(lanes)}, {"stopped", worker.stopped},
          {"returned", worker.returned}};
}

Result<WorkerView> ReadWorkerView(const Json& json) {
  WorkerView worker;
  KGYM_TRY(worker.name, GetString(json, "name"));
  KGYM_TRY(worker.version, GetString(json, "version"));
  KGYM_TRY(const std::string state, GetString(json, "state"));
  KGYM_TRY(worker.fault, GetString(json, "fault"));
  KGYM_TRY(worker.stopped, GetInt(json, "stopped"));
  KGYM_TRY(worker.returned, GetInt(json, "returned"));
  KGYM_TRY(const Json* lanes, GetArray(json, "lanes"));
  const auto* found = std::ranges::find(kStates, state);
  if (found == kStates.end()) return Error{Concat("field 'state': '", state, "' is not a worker's state")};
  worker.state = static_cast<WorkerView::State>(found - kStates.begin());
  if (lanes->size() > kMostLanes) return Error{Concat("field 'lanes': ", lanes->size(), " found; too many")};
  for (const Json& one : *lanes) {
    KGYM_TRY(WorkerView::Lane lane, ReadLane(one));
    worker.lanes.push_back(std::move(lane));
  }
  return worker;
}

}  // namespace kgym::service
