#include "service/remote/wire.h"

#include <array>

#include "base/text.h"

namespace kgym::service {
namespace {

constexpr std::array<std::string_view, 4> kTold = {"stored", "repeated", "stale", "refused"};

template <class T>
Result<std::vector<T>> ReadList(const Json& json, const char* what, Result<T> (*read)(const Json&)) {
  if (!json.is_array()) return Error{Concat("a list of ", what, " is expected")};
  std::vector<T> list;
  for (const Json& one : json) {
    KGYM_TRY(T item, read(one));
    list.push_back(std::move(item));
  }
  return list;
}

Result<TaskSpec> ReadSpec(const Json& json) {
  TaskSpec spec;
  KGYM_TRY(spec.id, GetString(json, "id"));
  KGYM_TRY(spec.tenant, GetString(json, "tenant"));
  KGYM_TRY(spec.run, GetString(json, "run"));
  KGYM_TRY(const std::int64_t priority, GetInt(json, "priority"));
  KGYM_TRY(const Json* labels, GetObject(json, "labels"));
  KGYM_TRY(spec.affinity, GetString(json, "affinity"));
  KGYM_TRY(spec.expected_hold_s, GetDouble(json, "expected_hold_s"));
  KGYM_TRY(spec.deadline_ms, GetInt(json, "deadline_ms"));
  KGYM_TRY(const std::int64_t attempts, GetInt(json, "max_attempts"));
  KGYM_TRY(spec.payload, GetStringOr(json, "payload", ""));
  if (priority < 0 || priority >= kPriorities)
    return Error{Concat("field 'priority': ", priority, "; 0 to ", kPriorities - 1, " is expected")};
  for (const auto& [name, value] : labels->items()) {
    if (!value.is_string()) return Error{Concat("field 'labels': '", name, "' is not a string, which is expected")};
    spec.labels[name] = value.get<std::string>();
  }
  spec.priority = static_cast<int>(priority);
  spec.max_attempts = static_cast<int>(attempts);
  return spec;
}

}  // namespace

Json TaskJson(const Task& task) {
  const TaskSpec& spec = task.spec;
  Json json = {{"id", spec.id},
               {"tenant", spec.tenant},
               {"run", spec.run},
               {"priority", spec.priority},
               {"labels", spec.labels},
               {"affinity", spec.affinity},
               {"expected_hold_s", spec.expected_hold_s},
               {"deadline_ms", spec.deadline_ms},
               {"max_attempts", spec.max_attempts},
               {"state", Name(task.state)},
               {"submitted_ms", task.submitted_ms},
               {"attempt", task.attempt},
               {"handed_back", task.handed_back},
               {"worker", task.worker},
               {"lane", task.lane},
               {"attached_to", task.attached_to},
               {"sequence", task.sequence}};
  if (!spec.payload.empty()) json["payload"] = spec.payload;
  return json;
}

Result<Task> ReadTask(const Json& json) {
  Task task;
  KGYM_TRY(task.spec, ReadSpec(json));
  KGYM_TRY(const std::string state, GetString(json, "state"));
  KGYM_TRY(task.submitted_ms, GetInt(json, "submitted_ms"));
  KGYM_TRY(const std::int64_t attempt, GetInt(json, "attempt"));
  KGYM_TRY(const std::int64_t handed_back, GetInt(json, "handed_back"));
  KGYM_TRY(task.worker, GetString(json, "worker"));
  KGYM_TRY(task.lane, GetString(json, "lane"));
  KGYM_TRY(task.attached_to, GetString(json, "attached_to"));
  KGYM_TRY(const std::int64_t sequence, GetInt(json, "sequence"));
  const std::optional<TaskState> known = ParseTaskState(state);
  if (!known) return Error{Concat("field 'state': '", state, "' is not a task's state")};
  task.state = *known;
  task.attempt = static_cast<int>(attempt);
  task.handed_back = static_cast<int>(handed_back);
  task.sequence = static_cast<std::uint64_t>(sequence);
  return task;
}

Json TasksJson(const std::vector<Task>& tasks) {
  Json json = Json::array();
  for (const Task& task : tasks) json.push_back(TaskJson(task));
  return json;
}

Result<std::vector<Task>> ReadTasks(const Json& json) { return ReadList(json, "tasks", ReadTask); }

Json HoldJson(const Hold& hold) { return {{"worker", hold.worker}, {"id", hold.id}, {"attempt", hold.attempt}}; }

Result<Hold> ReadHold(const Json& json) {
  Hold hold;
  KGYM_TRY(hold.worker, GetString(json, "worker"));
  KGYM_TRY(hold.id, GetString(json, "id"));
  KGYM_TRY(const std::int64_t attempt, GetInt(json, "attempt"));
  hold.attempt = static_cast<int>(attempt);
  return hold;
}

Json HoldsJson(const std::vector<Hold>& holds) {
  Json json = Json::array();
  for (const Hold& hold : holds) json.push_back(HoldJson(hold));
  return json;
}

Result<std::vector<Hold>> ReadHolds(const Json& json) { return ReadList(json, "holds", ReadHold); }

std::string_view Name(Told told) { return kTold[static_cast<std::size_t>(told)]; }

Result<Told> ReadTold(const Json& json) {
  KGYM_TRY(const std::string told, GetString(json, "told"));
  for (std::size_t i = 0; i < kTold.size(); ++i) {
    if (kTold[i] == told) return static_cast<Told>(i);
  }
  return Error{Concat("field 'told': '", told, "'; stored, repeated, stale or refused is expected")};
}

Json ChangesJson(const Changes& changes) { return {{"reset", changes.reset}, {"tasks", TasksJson(changes.tasks)}}; }

Result<Changes> ReadChanges(const Json& json) {
  Changes changes;
  KGYM_TRY(changes.reset, GetBool(json, "reset"));
  KGYM_TRY(const Json* tasks, GetArray(json, "tasks"));
  KGYM_TRY(changes.tasks, ReadTasks(*tasks));
  return changes;
}

}  // namespace kgym::service
