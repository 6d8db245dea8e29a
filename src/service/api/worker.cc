#include "service/api/worker.h"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/system/system_error.hpp>
#include <set>

#include "base/log.h"
#include "base/text.h"
#include "service/schedule/follow.h"

namespace kgym::service {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kWarm = 8;  // Reference hosts that a lane is taken to keep open.
constexpr Duration kFirstRetry = 100ms, kLastRetry = 5s, kLongestRetry = 1min;
// What was handed back so often, and meets a lane that falls ill again, may be what makes them ill: it counts then.
constexpr int kFreeReturns = 5;

Duration Next(Duration wait) { return std::min(2 * wait, kLastRetry); }

Hold HoldOf(const Task& task) { return {task.worker, task.spec.id, task.attempt}; }

}  // namespace

Worker::Worker(Executor executor, WorkQueue& queue, Lanes& lanes, WorkerOptions options)
    : executor_(executor),
      queue_(queue),
      lanes_(lanes),
      options_(std::move(options)),
      unix_(clock_),
      kick_(executor),
      beat_(executor),
      drained_(executor),
      idle_(executor) {
  state_.name = options_.name;
  state_.version = options_.version;
}

SharedWorkerView Worker::view() const {
  const std::lock_guard lock(mutex_);
  return std::make_shared<const WorkerView>(state_);
}

Awaitable<void> Worker::Run() {
  LookAgain();  // What an earlier process left behind is seen to at once, however long the lanes take.
  Result<std::vector<LaneInfo>> lanes = co_await lanes_.Start();
  if (lanes.ok() && !draining_) {
    for (LaneInfo& lane : *lanes) lane.labels.insert(options_.labels.begin(), options_.labels.end());
    for (const LaneInfo& lane : *lanes) pools_.push_back(backlog_.PoolFor(lane.labels));
    warm_.resize(pools_.size());
    Update([&](WorkerView& view) {
      for (LaneInfo& lane : *lanes) view.lanes.push_back({.info = std::move(lane)});
      view.state = WorkerView::State::kReady;
    });
    lanes_.WatchHealth([this](std::size_t lane, const std::string& illness) { OnHealth(lane, illness); });
    ++pending_;
    Spawn(executor_, Heartbeat());
    while (!draining_) {
      co_await kick_.WaitUntil(Instant::max());
      if (!draining_) co_await Dispatch();
    }
  } else if (!lanes.ok()) {
    Update([&](WorkerView& view) {
      view.state = WorkerView::State::kFailed;
      view.fault = lanes.error().message;
    });
    LogError("the lanes did not start: " + lanes.error().message);
    if (options_.failed) options_.failed(lanes.error().message);
    while (!draining_) co_await kick_.WaitUntil(Instant::max());
  }
  while (pending_ > 0) co_await idle_.WaitUntil(Instant::max());
  subscription_.reset();
  co_await lanes_.Close();
  Update([](WorkerView& view) { view.state = WorkerView::State::kGone; });
}

void Worker::LookAgain() {
  if (draining_) return;
  subscription_ = queue_.Watch(executor_, [this](const Changes& changes) { OnChanges(changes); });
}

void Worker::OnChanges(const Changes& changes) {
  if (changes.reset) {
    std::set<std::string> seen;
    for (const Task& task : changes.tasks) seen.insert(task.spec.id);
    for (Running& running : running_) {
      if (!seen.contains(running.task.spec.id)) Stop(running);
    }
    backlog_.Clear();
  }
  for (const Task& task : changes.tasks) OnChange(task);
  if (changes.reset) strangers_ = StrangersIn(changes);
  if (!leasing_) RecoverStrangers();
  first_sight_ = false;
  kick_.Raise();
}

bool Worker::Ours(const Task& task) const {
  if (task.state != TaskState::kRunning) return false;
  return task.worker == options_.name || std::ranges::find(options_.before, task.worker) != options_.before.end();
}

/// What runs under our name, or that of a process before, and is not here.
std::vector<Hold> Worker::StrangersIn(const Changes& changes) const {
  std::vector<Hold> strangers;
  for (const Task& task : changes.tasks) {
    if (Ours(task) && !by_id_.contains(task.spec.id)) strangers.push_back(HoldOf(task));
  }
  return strangers;
}

/// Not while a lease is being asked for: they may be what it gets.
void Worker::RecoverStrangers() {
  std::vector<Hold> strangers = std::exchange(strangers_, {});
  std::erase_if(strangers, [this](const Hold& hold) {
    const auto found = by_id_.find(hold.id);
    return found != by_id_.end() && found->second->task.attempt == hold.attempt;
  });
  if (strangers.empty()) return;
  ++pending_;
  Spawn(executor_, Recover(std::move(strangers), first_sight_));
}

void Worker::OnChange(const Task& task) {
  const std::string& id = task.spec.id;
  Follow(backlog_, task, [this](const Task& one) { return lanes_.Pick(one); });
  if (Ended(task.state) && leasing_) ended_meanwhile_.insert(id);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  const bool ours =
      task.state == TaskState::kRunning && task.worker == options_.name && task.attempt == found->second->task.attempt;
  if (!ours && task.attempt >= found->second->task.attempt) Stop(*found->second);
}

/// Nobody else will say so. `ended`: a process before this one was ended in the middle of them, perhaps by them; else
/// we were never told that we hold them.
Awaitable<void> Worker::Recover(std::vector<Hold> strangers, bool ended) {
  LogInfo(Concat(strangers.size(), " task(s) run under the name ", strangers.front().worker,
                 " and not here; they are queued again"));
  for (const Hold& hold : strangers) {
    Result<Told> told = Told::kStale;
    if (ended || hold.worker != options_.name) {
      told = co_await queue_.Fail(hold, "its worker was ended while it ran");
    } else {
      told = co_await queue_.HandBack(hold);
    }
    if (!told.ok()) LogWarning(hold.id + ": " + told.error().message + "; its lease will run out");
  }
  if (--pending_ == 0) idle_.Raise();
}

void Worker::OnHealth(std::size_t lane, const std::string& illness) {
  Update([&](WorkerView& view) { view.lanes[lane].fault = illness; });
  for (Running& running : running_) {
    if (!illness.empty() && running.lane == lane) SendBack(running, illness);
  }
  kick_.Raise();
}

std::vector<LaneView> Worker::LaneViews() const {
  std::vector<LaneView> views;
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    const WorkerView::Lane& lane = state_.lanes[i];
    LaneView view{.pool = pools_[i], .slots = lane.info.slots, .free = lane.info.slots - lane.running};
    if (!lane.fault.empty()) view.free = 0;
    view.warm.assign(warm_[i].begin(), warm_[i].end());
    std::ranges::sort(view.warm);
    views.push_back(std::move(view));
  }
  return views;
}

Awaitable<void> Worker::Dispatch() {
  if (backlog_.size() == 0) co_return;
  const std::vector<LaneView> views = LaneViews();
  Decisions decisions = Decide(backlog_, views, unix_.NowMs());
  if (decisions.assigned.empty()) co_return;
  std::vector<Want> wants;
  for (const Decision& one : decisions.assigned) wants.push_back({one.task, state_.lanes[one.lane].info.name});
  leasing_ = true;
  Result<std::vector<Task>> leased = co_await queue_.Lease(options_.name, std::move(wants), options_.lease);
  leasing_ = false;
  const std::set<std::string> ended = std::exchange(ended_meanwhile_, {});
  if (!leased.ok()) {
    LogWarning("no task could be leased: " + leased.error().message);
    // They wait still: the queue says so again when it is back.
    for (const Decision& one : decisions.assigned) backlog_.Settle(one.charge, 0);
    RecoverStrangers();
    LookAgain();
    co_await SleepFor(kFirstRetry);
    co_return;
  }
  std::map<std::string, Task> got;
  for (Task& task : *leased) got.emplace(task.spec.id, std::move(task));
  for (Decision& one : decisions.assigned) {
    const auto found = got.find(one.task);
    if (found == got.end() || ended.contains(one.task)) {
      backlog_.Settle(one.charge, 0);  // Cancelled meanwhile, or somebody else's.
      continue;
    }
    running_.emplace_back();
    const Place place = std::prev(running_.end());
    place->task = std::move(found->second);
    place->lane = one.lane;
    place->charge = std::move(one.charge);
    by_id_[one.task] = place;
    Update([&](WorkerView& view) { view.lanes[one.lane].running += 1; });
    ++pending_;
    Spawn(executor_, Work(place));
  }
  RecoverStrangers();
}

Awaitable<void> Worker::Work(Place place) {
  place->start = clock_.Now();
  if (const std::string& problem = place->task.spec.affinity; !problem.empty()) {
    auto& warm = warm_[place->lane];
    const std::uint64_t key = AffinityKey(problem);
    warm.remove(key);
    warm.push_front(key);
    if (warm.size() > kWarm) warm.pop_back();
  }
  const std::optional<Ran> ran = co_await RunOnLane(place);
  const double held_s = ToSeconds(clock_.Now() - place->start);
  backlog_.Settle(place->charge, held_s);
  Update([&](WorkerView& view) {
    WorkerView::Lane& lane = view.lanes[place->lane];
    lane.busy_s += held_s;
    lane.running -= 1;
    if (ran) (ran->ok || ran->back ? lane.done : lane.failed) += 1;
    if (!ran) (place->returning ? view.returned : view.stopped) += 1;
  });
  kick_.Raise();  // The lane is free; what became of the task need not be known for that.
  if (ran && !ran->back) {
    co_await Report(*place, *ran);
  } else if (ran || place->returning) {
    co_await Return(*place);
  }
  Free(place);
}

/// The queue gives it to somebody else.
Awaitable<void> Worker::Return(const Running& running) {
  Hold hold = HoldOf(running.task);
  Result<Told> told = Told::kStale;
  if (running.illness.empty() || running.task.handed_back < kFreeReturns) {
    told = co_await queue_.HandBack(hold);
  } else {
    std::string reason = Concat("lane ", running.task.lane, " fell ill while it ran: ", running.illness);
    told = co_await queue_.Fail(hold, std::move(reason));
  }
  if (!told.ok()) LogWarning(hold.id + " could not be handed back: " + told.error().message);
}

/// None where it was stopped.
Awaitable<std::optional<Ran>> Worker::RunOnLane(Place place) {
  if (place->lost || place->returning) co_return std::nullopt;
  const Hold hold = HoldOf(place->task);
  std::function<void(std::string_view)> stage = [this, hold](std::string_view name) {
    ++pending_;
    Spawn(executor_, TellStage(hold, std::string(name)));
  };
  const bool last = place->task.attempt - place->task.handed_back >= place->task.spec.max_attempts;
  Awaitable<Ran> work = lanes_.Run(place->lane, place->task, last, std::move(stage));
  try {
    co_return co_await asio::co_spawn(executor_, std::move(work),
                                      asio::bind_cancellation_slot(place->stop.slot(), asio::use_awaitable));
  } catch (const boost::system::system_error& error) {
    KGYM_CHECK(error.code() == asio::error::operation_aborted) << error.what();
  }
  co_return std::nullopt;
}

/// Until the queue has it, or has refused it for good.
Awaitable<void> Worker::Report(const Running& running, const Ran& ran) {
  const Hold hold = HoldOf(running.task);
  for (Duration wait = kFirstRetry;; wait = Next(wait)) {
    Result<Told> told = Told::kStale;
    if (ran.ok) {
      told = co_await queue_.Complete(hold, ran.text);
    } else {
      told = co_await queue_.Fail(hold, ran.text);
    }
    if (told.ok() || running.lost) co_return;
    const Duration pause = std::max(wait, std::min(queue_.RetryAfter(), kLongestRetry));
    LogWarning(Concat("the result of ", hold.id, " could not be stored: ", told.error().message, "; trying again in ",
                      FormatDuration(pause)));
    co_await SleepFor(pause);
  }
}

Awaitable<void> Worker::TellStage(Hold hold, std::string stage) {
  std::vector<Hold> holds = {std::move(hold)};
  Result<std::vector<Hold>> lost = co_await queue_.Extend(std::move(holds), std::move(stage));
  if (lost.ok()) {
    for (const Hold& one : *lost) {
      if (const auto found = by_id_.find(one.id); found != by_id_.end() && found->second->task.attempt == one.attempt)
        Stop(*found->second);
    }
  }
  if (--pending_ == 0) idle_.Raise();
}

/// Extends every lease three times as often as it must.
Awaitable<void> Worker::Heartbeat() {
  while (!draining_ || !running_.empty()) {
    std::vector<Hold> holds;
    for (const Running& running : running_) holds.push_back(HoldOf(running.task));
    if (!holds.empty()) {
      Result<std::vector<Hold>> lost = co_await queue_.Extend(std::move(holds), "");
      if (!lost.ok()) LogWarning("leases could not be extended: " + lost.error().message);
      for (const Hold& one : lost.ok() ? *lost : std::vector<Hold>{}) {
        const auto found = by_id_.find(one.id);
        if (found != by_id_.end() && found->second->task.attempt == one.attempt) Stop(*found->second);
      }
    }
    co_await beat_.WaitUntil(clock_.Now() + options_.lease / 3);
  }
  if (--pending_ == 0) idle_.Raise();
}

void Worker::Stop(Running& running) {
  running.lost = true;
  running.stop.emit(asio::cancellation_type::terminal);
}

void Worker::SendBack(Running& running, std::string illness) {
  running.returning = true;
  running.illness = std::move(illness);
  running.stop.emit(asio::cancellation_type::terminal);
}

void Worker::Free(Place place) {
  // It may be here again already, as a further attempt.
  if (const auto mine = by_id_.find(place->task.spec.id); mine != by_id_.end() && mine->second == place)
    by_id_.erase(mine);
  running_.erase(place);
  if (draining_) beat_.Raise();
  drained_.Raise();
  kick_.Raise();
  if (--pending_ == 0) idle_.Raise();
}

void Worker::Drain(Duration patience) {
  if (draining_) return;
  draining_ = true;
  patience_ = patience;
  Update([](WorkerView& view) {
    if (view.state != WorkerView::State::kFailed) view.state = WorkerView::State::kDraining;
  });
  kick_.Raise();
  beat_.Raise();
  ++pending_;
  Spawn(executor_, DrainLater());
}

Awaitable<void> Worker::DrainLater() {
  const Instant until = clock_.Now() + patience_;
  while (!running_.empty() && clock_.Now() < until) co_await drained_.WaitUntil(until);
  for (Running& running : running_) SendBack(running, "");
  if (--pending_ == 0) idle_.Raise();
}

}  // namespace kgym::service
