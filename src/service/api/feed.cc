#include "service/api/feed.h"

#include "base/log.h"

namespace kgym::service {
namespace {

constexpr std::size_t kEndings = 100;
constexpr std::size_t kNotes = 20'000;
constexpr std::size_t kPileUp = 64;

bool Waits(const Task& task) { return task.state == TaskState::kQueued && task.attached_to.empty(); }

double Seconds(std::int64_t from_ms, std::int64_t to_ms) {
  return static_cast<double>(std::max<std::int64_t>(0, to_ms - from_ms)) / 1000;
}

}  // namespace

Feed::Feed(Executor executor, Queue& queue) : executor_(executor), queue_(queue) {
  // A call may be on its way when the subscription ends.
  const auto on_changes = [this, alive = alive_](const Changes& changes) {
    if (*alive) OnChanges(changes);
  };
  subscription_ = queue.Watch(executor, on_changes);
}

Feed::~Feed() { *alive_ = false; }

std::optional<std::int64_t> Feed::Position(const Task& task) const {
  const auto found = live_.find(task.spec.id);
  if (found == live_.end() || !Waits(found->second)) return std::nullopt;
  const auto priority = static_cast<std::size_t>(found->second.spec.priority);
  std::size_t before = waiting_[priority].order_of_key(found->second.sequence);
  for (std::size_t higher = priority + 1; higher < waiting_.size(); ++higher) before += waiting_[higher].size();
  return static_cast<std::int64_t>(before) + 1;
}

const OutcomeNote* Feed::Note(const std::string& id) const {
  const auto found = notes_.find(id);
  return found != notes_.end() ? &found->second : nullptr;
}

double Feed::EndedPerSecond() { return ended_.PerSecond(std::chrono::steady_clock::now()); }

void Feed::OnChanges(const Changes& changes) {
  if (changes.reset) {
    live_.clear();
    for (Order& order : waiting_) order.clear();
    for (auto& [id, following] : followers_) {
      for (Follower* one : following) one->Tell(nullptr);
    }
  }
  for (const Task& task : changes.tasks) OnChange(task);
  Touch();
}

void Feed::Touch() {
  ++version_;
  for (http::Signal* watcher : watchers_) watcher->Raise();
}

void Feed::OnChange(const Task& task) {
  const auto before = live_.find(task.spec.id);
  const bool was_running = before != live_.end() && before->second.state == TaskState::kRunning;
  if (before != live_.end()) Unplace(before->second);
  if (task.state == TaskState::kRunning && !was_running && before != live_.end())
    counts_.wait.Count(Seconds(task.submitted_ms, task.started_ms));
  if (Ended(task.state)) {
    if (before != live_.end()) live_.erase(before);
    OnEnd(task);
  } else {
    live_[task.spec.id] = task;
    Place(task);
  }
  if (const auto following = followers_.find(task.spec.id); following != followers_.end()) {
    for (Follower* one : following->second) one->Tell(&task);
  }
}

void Feed::Place(const Task& task) {
  if (Waits(task)) waiting_[static_cast<std::size_t>(task.spec.priority)].insert(task.sequence);
}

void Feed::Unplace(const Task& task) {
  if (Waits(task)) waiting_[static_cast<std::size_t>(task.spec.priority)].erase(task.sequence);
}

void Feed::OnEnd(const Task& task) {
  counts_.ended[static_cast<std::size_t>(task.state)] += 1;
  ended_.Count(1, std::chrono::steady_clock::now());
  if (task.started_ms > 0) counts_.run.Count(Seconds(task.started_ms, task.ended_ms));
  endings_.push_front({task, std::nullopt});
  if (endings_.size() > kEndings) endings_.pop_back();
  if (task.state != TaskState::kDone) return;
  to_read_.push_back(task.spec.id);
  if (!std::exchange(reading_, true)) Spawn(executor_, ReadResults());
}

/// Changes come without results: what they say is asked for one after the other.
Awaitable<void> Feed::ReadResults() {
  const std::shared_ptr<bool> alive = alive_;
  while (*alive && !to_read_.empty()) {
    const std::string id = std::move(to_read_.front());
    to_read_.pop_front();
    Result<std::optional<Task>> task = co_await queue_.Get(id);
    if (!*alive) co_return;
    if (!task.ok()) LogWarning("the result of " + id + " could not be looked at: " + task.error().message);
    if (task.ok() && *task) NoteEnding(id, NoteOf((*task)->result));
  }
  if (*alive) reading_ = false;
}

void Feed::NoteEnding(const std::string& id, OutcomeNote note) {
  counts_.outcomes[note.outcome] += 1;
  for (Ending& ending : endings_) {
    if (ending.task.spec.id == id) ending.note = note;
  }
  if (notes_.insert_or_assign(id, std::move(note)).second) noted_.push_back(id);
  if (noted_.size() > kNotes) {
    notes_.erase(noted_.front());
    noted_.pop_front();
  }
  ++version_;
  for (http::Signal* watcher : watchers_) watcher->Raise();
}

Follower::Follower(Feed& feed, std::string id, http::Signal& signal)
    : feed_(feed), id_(std::move(id)), signal_(signal) {
  feed_.followers_[id_].push_back(this);
}

Follower::~Follower() {
  const auto found = feed_.followers_.find(id_);
  std::erase(found->second, this);
  if (found->second.empty()) feed_.followers_.erase(found);
}

void Follower::Tell(const Task* task) {
  lost = lost || task == nullptr || changes.size() >= kPileUp;
  if (changes.size() >= kPileUp) changes.pop_front();
  if (task != nullptr) changes.push_back(*task);
  signal_.Raise();
}

}  // namespace kgym::service
