#include "service/queue/sqlite_tasks.h"

#include <utility>

#include "service/queue/labels.h"
#include "service/queue/task_row.h"

namespace kgym::service {
namespace {

const std::string kColumns =
    "sequence, id, state, tenant, run, priority, content_key, labels, affinity, expected_hold_s, deadline_ms, "
    "max_attempts, dedup, submitted_ms, started_ms, ended_ms, attempt, handed_back, lease_ms, worker, lane, stage, "
    "reason, attached_to, fingerprint";
constexpr int kFingerprintColumn = kTaskColumns;
const std::string kSelect = "SELECT " + kColumns + " FROM task ";

/// One column after the other.
struct Columns {
  const Rows& row;
  int next = 0;

  std::string Text() { return row.Text(next++); }
  std::int64_t Int() { return row.Int(next++); }
  double Double() { return row.Double(next++); }
};

Result<Task> ReadTask(const Rows& row) { return ReadTaskRow(Columns{row}); }

Result<std::vector<Task>> ReadAll(Rows& rows) {
  std::vector<Task> tasks;
  while (true) {
    KGYM_TRY(const bool found, rows.Next());
    if (!found) return tasks;
    KGYM_TRY(Task task, ReadTask(rows));
    tasks.push_back(std::move(task));
  }
}

Result<std::string> ReadText(Rows rows) {
  KGYM_TRY(const bool found, rows.Next());
  return found ? rows.Text(0) : std::string();
}

// Only the filters that are set, so that the planner takes the narrowest index there is.
std::string ListSql(const ListFilter& filter) {
  std::string where = "WHERE sequence < ?1 ";
  if (filter.state) where += "AND state = ?2 ";
  if (!filter.tenant.empty()) where += "AND tenant = ?3 ";
  if (!filter.run.empty()) where += "AND run = ?4 ";
  return kSelect + where + "ORDER BY sequence DESC LIMIT ?5";
}

}  // namespace

SqliteTasks::SqliteTasks(Database& database)
    : database_(database),
      find_(database.Prepare(kSelect + "WHERE id = ?1")),
      payload_(database.Prepare("SELECT text FROM payload WHERE sequence = ?1")),
      result_(database.Prepare("SELECT text FROM result WHERE sequence = ?1")),
      leader_(
          database.Prepare(kSelect + "WHERE share_key = ?1 AND state < 2 AND attached_to = '' AND share_key <> ''")),
      attached_(database.Prepare(kSelect + "WHERE attached_to = ?1 AND state = 0 AND attached_to <> '' "
                                           "ORDER BY sequence")),
      past_deadline_(
          database.Prepare(kSelect + "WHERE deadline_ms > 0 AND deadline_ms <= ?1 AND state < 2 ORDER BY sequence")),
      live_(database.Prepare(kSelect + "WHERE state IN (0, 1) ORDER BY sequence")),
      insert_(database.Prepare(
          "INSERT INTO task (id, state, tenant, run, priority, content_key, labels, affinity, expected_hold_s, "
          "deadline_ms, max_attempts, dedup, fingerprint, share_key, submitted_ms, attached_to) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)")),
      insert_payload_(database.Prepare("INSERT INTO payload (sequence, text) VALUES (?1, ?2)")),
      update_(database.Prepare(
          "UPDATE task SET state = ?2, priority = ?3, started_ms = ?4, ended_ms = ?5, attempt = ?6, handed_back = ?7, "
          "lease_ms = ?8, worker = ?9, lane = ?10, stage = ?11, reason = ?12, attached_to = ?13 WHERE sequence = ?1")),
      insert_result_(database.Prepare("INSERT INTO result (sequence, text) VALUES (?1, ?2)")),
      ended_(database.Prepare("SELECT sequence, state FROM task WHERE state >= 2 AND ended_ms < ?1 "
                              "ORDER BY ended_ms LIMIT ?2")),
      remove_(database.Prepare("DELETE FROM task WHERE sequence = ?1")),
      remove_payload_(database.Prepare("DELETE FROM payload WHERE sequence = ?1")),
      remove_result_(database.Prepare("DELETE FROM result WHERE sequence = ?1")),
      count_(database.Prepare("SELECT state, COUNT(*) FROM task GROUP BY state")),
      oldest_(database.Prepare("SELECT submitted_ms FROM task WHERE state = 0 ORDER BY sequence LIMIT 1")) {}

Result<std::optional<SqliteTasks::Known>> SqliteTasks::Find(const std::string& id) {
  Rows rows = find_.Select(id);
  KGYM_TRY(const bool found, rows.Next());
  if (!found) return std::optional<Known>();
  KGYM_TRY(Task task, ReadTask(rows));
  return std::optional<Known>(Known{std::move(task), rows.Text(kFingerprintColumn)});
}

Status SqliteTasks::ReadTexts(Task& task) {
  KGYM_TRY(task.spec.payload, ReadText(payload_.Select(task.sequence)));
  if (task.state != TaskState::kDone) return Ok();
  KGYM_TRY(task.result, ReadText(result_.Select(task.sequence)));
  return Ok();
}

Result<std::optional<Task>> SqliteTasks::Leader(const std::string& share_key) {
  Rows rows = leader_.Select(share_key);
  KGYM_TRY(const bool found, rows.Next());
  if (!found) return std::optional<Task>();
  KGYM_TRY(Task task, ReadTask(rows));
  return std::optional<Task>(std::move(task));
}

Result<std::vector<Task>> SqliteTasks::AttachedTo(const std::string& id) {
  Rows rows = attached_.Select(id);
  return ReadAll(rows);
}

Result<std::vector<Task>> SqliteTasks::PastDeadline(std::int64_t now_ms) {
  Rows rows = past_deadline_.Select(now_ms);
  return ReadAll(rows);
}

Result<std::vector<Task>> SqliteTasks::Live() {
  Rows rows = live_.Select();
  return ReadAll(rows);
}

Result<std::vector<Task>> SqliteTasks::List(const ListFilter& filter, std::uint64_t before, int limit) {
  Query list = database_.Prepare(ListSql(filter));
  const int state = filter.state ? static_cast<int>(*filter.state) : 0;
  Rows rows = list.Select(before, state, filter.tenant, filter.run, limit);
  return ReadAll(rows);
}

Status SqliteTasks::Insert(Task& task) {
  const TaskSpec& spec = task.spec;
  KGYM_TRY_VOID(insert_.Run(spec.id, static_cast<int>(task.state), spec.tenant, spec.run, spec.priority,
                            spec.content_key, LabelsText(spec.labels), spec.affinity, spec.expected_hold_s,
                            spec.deadline_ms, spec.max_attempts, spec.dedup, Fingerprint(spec), ShareKey(spec),
                            task.submitted_ms, task.attached_to));
  task.sequence = static_cast<std::uint64_t>(database_.last_row());
  return insert_payload_.Run(task.sequence, spec.payload);
}

Status SqliteTasks::Update(const Task& task) {
  return update_.Run(task.sequence, static_cast<int>(task.state), task.spec.priority, task.started_ms, task.ended_ms,
                     task.attempt, task.handed_back, task.lease_ms, task.worker, task.lane, task.stage, task.reason,
                     task.attached_to);
}

Status SqliteTasks::StoreResult(const Task& task) { return insert_result_.Run(task.sequence, task.result); }

Result<std::vector<TaskState>> SqliteTasks::RemoveEnded(std::int64_t before_ms, std::int64_t limit) {
  std::vector<std::pair<std::int64_t, TaskState>> found;
  {
    Rows rows = ended_.Select(before_ms, limit);
    while (true) {
      KGYM_TRY(const bool more, rows.Next());
      if (!more) break;
      found.emplace_back(rows.Int(0), static_cast<TaskState>(rows.Int(1)));
    }
  }
  std::vector<TaskState> states;
  for (const auto& [sequence, state] : found) {
    KGYM_TRY_VOID(remove_.Run(sequence));
    KGYM_TRY_VOID(remove_payload_.Run(sequence));
    KGYM_TRY_VOID(remove_result_.Run(sequence));
    states.push_back(state);
  }
  return states;
}

Result<std::array<std::int64_t, kTaskStates>> SqliteTasks::Count() {
  std::array<std::int64_t, kTaskStates> counts{};
  Rows rows = count_.Select();
  while (true) {
    KGYM_TRY(const bool found, rows.Next());
    if (!found) return counts;
    counts[static_cast<std::size_t>(rows.Int(0))] = rows.Int(1);
  }
}

Result<std::int64_t> SqliteTasks::OldestQueuedMs() {
  Rows rows = oldest_.Select();
  KGYM_TRY(const bool found, rows.Next());
  return found ? rows.Int(0) : 0;
}

}  // namespace kgym::service
