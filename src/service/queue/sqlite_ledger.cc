#include "service/queue/sqlite_ledger.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "service/queue/transition.h"

namespace kgym::service {
namespace {

constexpr std::int64_t kForgottenAtOnce = 1000;  // So that forgetting much holds up nobody for long.

}  // namespace

SqliteLedger::SqliteLedger(Database& database, const Clock& clock, Bounds bounds)
    : clock_(clock), date_(clock), bounds_(bounds), tasks_(database) {}

Status SqliteLedger::Load() {
  KGYM_TRY(const auto counts, tasks_.Count());
  KGYM_TRY(const std::vector<Task> live, tasks_.Live());
  for (const Task& task : live) {
    counts_.tally.Add(task);
    if (task.state != TaskState::kRunning) continue;
    leases_.Renew(task.spec.id, task.attempt, std::chrono::milliseconds(task.lease_ms), clock_.Now());
  }
  counts_.tally.by_state = counts;
  settled_ = counts_;
  return Ok();
}

Result<Accepted> SqliteLedger::Submit(const TaskSpec& spec) {
  KGYM_TRY(std::optional<SqliteTasks::Known> known, tasks_.Find(spec.id));
  if (known) {
    Accepted accepted{.kind = Accepted::Kind::kSame, .task = std::move(known->task)};
    KGYM_TRY_VOID(tasks_.ReadTexts(accepted.task));
    if (known->fingerprint != Fingerprint(spec)) {
      accepted.kind = Accepted::Kind::kConflict;
      accepted.reason = ConflictReason(spec.id);
    }
    return accepted;
  }
  if (std::optional<Accepted> full = CheckRoom(spec)) return std::move(*full);

  Task task{.spec = spec};
  task.submitted_ms = date_.NowMs();
  KGYM_TRY_VOID(Attach(task));
  KGYM_TRY_VOID(tasks_.Insert(task));
  counts_.tally.Add(task);
  ++counts_.accepted;
  changes_.push_back(task);
  changes_.back().spec.payload.clear();
  return Accepted{.kind = Accepted::Kind::kNew, .task = std::move(task)};
}

std::optional<Accepted> SqliteLedger::CheckRoom(const TaskSpec& spec) {
  const bool own_bound = bounds_.queued_per_tenant > 0;
  const bool tenant_is_full = own_bound && counts_.tally.queued_of(spec.tenant) >= bounds_.queued_per_tenant;
  if (!tenant_is_full && counts_.tally.queued() < bounds_.queued) return std::nullopt;
  const double rate = ended_rate_.PerSecond(clock_.Now());
  return Accepted{.kind = Accepted::Kind::kFull,
                  .task = Task{.spec = spec},
                  .retry_after = RetryAfter(tenant_is_full ? bounds_.queued_per_tenant : bounds_.queued, rate),
                  .reason = FullReason(bounds_, tenant_is_full, spec.tenant)};
}

// To identical work in flight, if there is some; that is then as urgent as the most urgent of those who wait for it.
Status SqliteLedger::Attach(Task& task) {
  const std::string key = ShareKey(task.spec);
  if (key.empty()) return Ok();
  KGYM_TRY(std::optional<Task> leader, tasks_.Leader(key));
  if (!leader) return Ok();
  task.attached_to = leader->spec.id;
  if (leader->spec.priority >= task.spec.priority) return Ok();
  const Task before = *leader;
  leader->spec.priority = task.spec.priority;
  return Store(before, *leader);
}

Result<std::vector<Task>> SqliteLedger::Lease(const std::string& worker, const std::vector<Want>& wants,
                                              Duration lease) {
  std::vector<Task> leased;
  for (const Want& want : wants) {
    KGYM_TRY(std::optional<SqliteTasks::Known> known, tasks_.Find(want.id));
    if (!known || !Leasable(known->task, date_.NowMs())) continue;
    Task task = known->task;
    Begin(task, worker, want.lane, lease, date_.NowMs());
    KGYM_TRY_VOID(Store(known->task, task));
    KGYM_TRY_VOID(tasks_.ReadTexts(task));
    leased.push_back(std::move(task));
  }
  return leased;
}

Result<std::vector<Hold>> SqliteLedger::Extend(const std::vector<Hold>& holds, const std::string& stage) {
  std::vector<Hold> lost;
  for (const Hold& hold : holds) {
    KGYM_TRY(const std::optional<Task> held, Held(hold));
    if (!held) {
      lost.push_back(hold);
      continue;
    }
    leases_.Renew(hold.id, hold.attempt, std::chrono::milliseconds(held->lease_ms), clock_.Now());
    if (stage.empty() || stage == held->stage) continue;
    Task task = *held;
    task.stage = stage;
    KGYM_TRY_VOID(Store(*held, task));
  }
  return lost;
}

Result<Told> SqliteLedger::Complete(const Hold& hold, const std::string& result) {
  KGYM_TRY(const std::optional<Task> held, Held(hold));
  if (!held) return TellOther(hold, {TaskState::kDone});
  Task task = *held;
  End(task, TaskState::kDone, "", date_.NowMs());
  task.result = result;
  KGYM_TRY_VOID(Store(*held, task));
  KGYM_TRY_VOID(tasks_.StoreResult(task));
  KGYM_TRY_VOID(EndWith(task));
  return Told::kStored;
}

Result<Told> SqliteLedger::HandBack(const Hold& hold) {
  KGYM_TRY(const std::optional<Task> held, Held(hold));
  if (!held) return TellOther(hold, {TaskState::kQueued});
  Task task = *held;
  GiveBack(task);
  KGYM_TRY_VOID(Store(*held, task));
  return Told::kStored;
}

Result<Told> SqliteLedger::Fail(const Hold& hold, const std::string& reason) {
  KGYM_TRY(std::optional<Task> held, Held(hold));
  if (!held) return TellOther(hold, {TaskState::kQueued, TaskState::kDead});
  KGYM_TRY_VOID(LoseLease(std::move(*held), reason));
  return Told::kStored;
}

Result<std::optional<Task>> SqliteLedger::Cancel(const std::string& id) {
  KGYM_TRY(std::optional<SqliteTasks::Known> known, tasks_.Find(id));
  if (!known) return std::optional<Task>();
  if (!Ended(known->task.state)) KGYM_TRY_VOID(EndAndPromote(known->task, TaskState::kCancelled, "cancelled"));
  return Get(id);
}

Result<std::optional<Task>> SqliteLedger::Get(const std::string& id) {
  KGYM_TRY(std::optional<SqliteTasks::Known> known, tasks_.Find(id));
  if (!known) return std::optional<Task>();
  KGYM_TRY_VOID(tasks_.ReadTexts(known->task));
  return std::optional<Task>(std::move(known->task));
}

Result<ListPage> SqliteLedger::List(const ListFilter& filter, std::uint64_t before, int limit) {
  ListPage page;
  KGYM_TRY(page.tasks, tasks_.List(filter, before, limit + 1));
  if (page.tasks.size() <= static_cast<std::size_t>(limit)) return page;
  page.tasks.pop_back();
  page.next = std::to_string(page.tasks.back().sequence);
  return page;
}

Result<QueueStats> SqliteLedger::Stats() {
  QueueStats stats{.by_state = counts_.tally.by_state,
                   .queued_by_priority = counts_.tally.queued_by_priority,
                   .attached = counts_.tally.attached,
                   .accepted = counts_.accepted,
                   .redelivered = counts_.redelivered,
                   .stale = counts_.stale,
                   .ended = counts_.ended};
  KGYM_TRY(stats.oldest_queued_ms, tasks_.OldestQueuedMs());
  return stats;
}

Result<int> SqliteLedger::ExpireLeases() {
  int ended = 0;
  for (const LeaseWatch::Lost& lost : leases_.LostAt(clock_.Now())) {
    KGYM_TRY(std::optional<SqliteTasks::Known> known, tasks_.Find(lost.id));
    if (!known || known->task.state != TaskState::kRunning || known->task.attempt != lost.attempt) continue;
    const std::string reason = LostLeaseReason(known->task);
    KGYM_TRY_VOID(LoseLease(std::move(known->task), reason));
    ++ended;
  }
  KGYM_TRY(const std::vector<Task> late, tasks_.PastDeadline(date_.NowMs()));
  for (const Task& task : late) {
    // As it is now: the end of another may have touched it.
    KGYM_TRY(std::optional<SqliteTasks::Known> known, tasks_.Find(task.spec.id));
    if (!known || Ended(known->task.state)) continue;
    const std::string reason = DeadlineReason(known->task);
    KGYM_TRY_VOID(EndAndPromote(std::move(known->task), TaskState::kDead, reason));
    ++ended;
  }
  return ended;
}

Result<int> SqliteLedger::Forget(const Retention& retention) {
  const auto age_ms = std::chrono::duration_cast<std::chrono::milliseconds>(retention.age).count();
  KGYM_TRY(std::vector<TaskState> gone, tasks_.RemoveEnded(date_.NowMs() - age_ms, kForgottenAtOnce));
  const std::int64_t room = kForgottenAtOnce - static_cast<std::int64_t>(gone.size());
  const std::int64_t excess = counts_.tally.ended() - static_cast<std::int64_t>(gone.size()) - retention.count;
  if (excess > 0 && room > 0) {
    constexpr auto kAny = std::numeric_limits<std::int64_t>::max();
    KGYM_TRY(const std::vector<TaskState> more, tasks_.RemoveEnded(kAny, std::min(excess, room)));
    gone.insert(gone.end(), more.begin(), more.end());
  }
  for (const TaskState state : gone) --counts_.tally.by_state[static_cast<std::size_t>(state)];
  return static_cast<int>(gone.size());
}

std::vector<Task> SqliteLedger::Settle() {
  settled_ = counts_;
  for (const Task& task : changes_) {
    if (task.state == TaskState::kRunning) {
      leases_.Observe(task.spec.id, task.attempt, 0, std::chrono::milliseconds(task.lease_ms), clock_.Now());
    } else {
      leases_.Drop(task.spec.id);
    }
    if (Ended(task.state)) ended_rate_.Count(1, clock_.Now());
  }
  return std::exchange(changes_, {});
}

void SqliteLedger::Undo() {
  counts_ = settled_;
  changes_.clear();
}

Status SqliteLedger::Store(const Task& before, const Task& after) {
  KGYM_TRY_VOID(tasks_.Update(after));
  counts_.tally.Remove(before);
  counts_.tally.Add(after);
  if (Ended(after.state)) ++counts_.ended[static_cast<std::size_t>(after.state)];
  changes_.push_back(after);
  changes_.back().result.clear();
  return Ok();
}

Status SqliteLedger::EndAndPromote(Task task, TaskState state, const std::string& reason) {
  const Task before = task;
  End(task, state, reason, date_.NowMs());
  KGYM_TRY_VOID(Store(before, task));
  return Promote(task.spec.id);
}

// The oldest of those attached to `ended`, which has no result to give, does the work itself, and the others wait for
// it.
Status SqliteLedger::Promote(const std::string& ended) {
  KGYM_TRY(const std::vector<Task> attached, tasks_.AttachedTo(ended));
  int urgent = 0;
  for (const Task& task : attached) urgent = std::max(urgent, task.spec.priority);
  for (const Task& before : attached) {
    Task task = before;
    const bool first = &before == &attached.front();
    task.attached_to = first ? "" : attached.front().spec.id;
    if (first) task.spec.priority = urgent;
    KGYM_TRY_VOID(Store(before, task));
  }
  return Ok();
}

// Those attached to `leader`, which is done or died of its own work, end as it did.
Status SqliteLedger::EndWith(const Task& leader) {
  KGYM_TRY(const std::vector<Task> attached, tasks_.AttachedTo(leader.spec.id));
  for (const Task& before : attached) {
    Task task = before;
    End(task, leader.state, leader.state == TaskState::kDead ? SharedFateReason(leader) : "", leader.ended_ms);
    KGYM_TRY_VOID(Store(before, task));
    if (task.state != TaskState::kDone) continue;
    task.result = leader.result;
    KGYM_TRY_VOID(tasks_.StoreResult(task));
  }
  return Ok();
}

Status SqliteLedger::LoseLease(Task task, const std::string& reason) {
  const Task before = task;
  Lose(task, reason, date_.NowMs());
  KGYM_TRY_VOID(Store(before, task));
  if (task.state == TaskState::kDead) return EndWith(task);
  ++counts_.redelivered;
  return Ok();
}

Result<std::optional<Task>> SqliteLedger::Held(const Hold& hold) {
  KGYM_TRY(std::optional<SqliteTasks::Known> known, tasks_.Find(hold.id));
  if (!known || !HeldBy(known->task, hold)) return std::optional<Task>();
  return std::optional<Task>(std::move(known->task));
}

Result<Told> SqliteLedger::TellOther(const Hold& hold, std::initializer_list<TaskState> repeated) {
  KGYM_TRY(const std::optional<SqliteTasks::Known> known, tasks_.Find(hold.id));
  const bool last = known && LastHeldBy(known->task, hold);
  if (last && std::find(repeated.begin(), repeated.end(), known->task.state) != repeated.end()) return Told::kRepeated;
  ++counts_.stale;
  return Told::kStale;
}

}  // namespace kgym::service
