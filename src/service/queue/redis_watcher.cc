#include "service/queue/redis_watcher.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "service/queue/redis_script.h"
#include "service/queue/redis_task.h"

namespace kgym::service {
namespace {

constexpr int kBlockMs = 5000;      // So that a connection that died silently is noticed,
constexpr Duration kSilence = 15s;  // within this.
constexpr std::size_t kPage = 500;
constexpr Duration kBetweenTries = 500ms;

// The number of a change, from its id "0-<number>".
Result<std::int64_t> NumberOf(const std::string& id) {
  std::int64_t number = 0;
  const char* begin = id.data() + 2;
  if (!id.starts_with("0-") || std::from_chars(begin, id.data() + id.size(), number).ec != std::errc()) {
    return Error{Concat("redis: a change with the id '", id, "'; 0-<number> is expected")};
  }
  return number;
}

}  // namespace

RedisWatcher::RedisWatcher(RedisOptions options, std::shared_ptr<Subscriber> subscriber)
    : options_(std::move(options)), subscriber_(std::move(subscriber)), connection_(options_.address) {
  thread_ = std::thread([this] { Serve(); });
}

RedisWatcher::~RedisWatcher() {
  subscriber_->End();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ending_.notify_all();
  connection_.Interrupt();
  thread_.join();
}

void RedisWatcher::Serve() {
  do {
    const Status broken = Follow();
    if (!subscriber_->ended()) LogWarning(Concat("queue: a subscription begins anew: ", broken.error().message));
  } while (Pause(kBetweenTries));
}

bool RedisWatcher::Pause(Duration duration) {
  std::unique_lock lock(mutex_);
  return !ending_.wait_for(lock, duration, [this] { return ended_; });
}

Status RedisWatcher::Follow() {
  KGYM_TRY_VOID(connection_.Open(kSilence));
  KGYM_TRY(std::int64_t last, Begin());
  while (true) {
    KGYM_TRY(std::vector<Change> changes, Next(last));
    if (changes.empty()) continue;  // Nothing in that time.
    last = changes.back().number;
    std::vector<Task> tasks;
    for (Change& change : changes) tasks.push_back(std::move(change.task));
    subscriber_->Tell(std::make_shared<const Changes>(Changes{.tasks = std::move(tasks)}));
  }
}

// What lives is read in pages while it goes on changing; the changes meanwhile are then carried out on what was read,
// so that it becomes what lived at one moment. Returns the number of the last change that it shows.
Result<std::int64_t> RedisWatcher::Begin() {
  KGYM_TRY(const RedisAnswer answer, connection_.Ask({"GET", options_.prefix + "changed"}));
  std::int64_t shown = RedisReply(answer.get()).Int();
  std::map<std::string, Change> live;
  std::int64_t now = shown;
  for (const TaskState state : {TaskState::kQueued, TaskState::kRunning}) {
    KGYM_TRY(now, ReadLive(state, live));
  }
  while (shown < now) {
    KGYM_TRY(std::vector<Change> changes, Next(shown));
    for (Change& change : changes) {
      shown = change.number;
      const std::string id = change.task.spec.id;
      const auto known = live.find(id);
      if (known != live.end() && known->second.number >= change.number) continue;
      if (Ended(change.task.state)) {
        live.erase(id);
      } else {
        live.insert_or_assign(id, std::move(change));
      }
    }
  }
  std::vector<Task> tasks;
  for (auto& [id, change] : live) tasks.push_back(std::move(change.task));
  std::sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.sequence < b.sequence; });
  subscriber_->Tell(std::make_shared<const Changes>(Changes{.reset = true, .tasks = std::move(tasks)}));
  return shown;
}

// Returns the number of the last change before its last page was read.
Result<std::int64_t> RedisWatcher::ReadLive(TaskState state, std::map<std::string, Change>& live) {
  std::uint64_t after = 0;
  while (true) {
    KGYM_TRY(const RedisAnswer answer,
             connection_.Ask({"EVAL", kRedisScript, "1", options_.prefix, "live", "0",
                              std::to_string(static_cast<int>(state)), std::to_string(after), std::to_string(kPage)}));
    const RedisReply page(answer.get());
    for (std::size_t i = 1; i < page.size(); ++i) {
      KGYM_TRY(Task task, TaskOf(page[i]));
      after = task.sequence;
      const std::int64_t number = page[i][page[i].size() - 1].Int();
      const std::string id = task.spec.id;
      live.insert_or_assign(id, Change{number, std::move(task)});
    }
    if (page.size() - 1 < kPage) return page[0].Int();
  }
}

Result<std::vector<RedisWatcher::Change>> RedisWatcher::Next(std::int64_t last) {
  KGYM_TRY(const RedisAnswer answer, connection_.Ask({"XREAD", "COUNT", "1000", "BLOCK", std::to_string(kBlockMs),
                                                      "STREAMS", options_.prefix + "changes", Concat("0-", last)}));
  const RedisReply reply(answer.get());
  std::vector<Change> changes;
  if (!reply.is_array() || reply.size() == 0) return changes;
  const RedisReply entries = reply[0][1];
  for (std::size_t i = 0; i < entries.size(); ++i) {
    KGYM_TRY(const std::int64_t number, NumberOf(entries[i][0].Text()));
    if (number != ++last) return Error{Concat("the changes ", last, " to ", number - 1, " are no longer to be had")};
    KGYM_TRY(Task task, TaskOf(entries[i][1], 1, 2));
    changes.push_back({number, std::move(task)});
  }
  return changes;
}

}  // namespace kgym::service
