#include "service/queue/redis_queue.h"

#include <boost/asio/this_coro.hpp>
#include <mutex>
#include <utility>

#include "base/ids.h"
#include "base/text.h"
#include "service/queue/lease_watch.h"
#include "service/queue/pending.h"
#include "service/queue/redis_link.h"
#include "service/queue/redis_task.h"
#include "service/queue/redis_watcher.h"
#include "service/queue/request_check.h"
#include "service/queue/transition.h"
#include "service/queue/unix_clock.h"

namespace kgym::service {
namespace {

using Replies = std::vector<RedisReply>;
using Operations = std::vector<RedisCommand>;

template <class T>
using Reader = std::function<Result<T>(const Replies&)>;

constexpr int kForgottenAtOnce = 500;  // Redis does nothing else meanwhile.

std::string First(const RedisReply& reply) {
  return reply.is_array() && reply.size() > 0 ? reply[0].Text() : std::string();
}

Result<Told> ReadTold(const Replies& replies) {
  const std::string told = First(replies[0]);
  if (told == "stored") return Told::kStored;
  return told == "repeated" ? Told::kRepeated : Told::kStale;
}

Result<std::optional<Task>> ReadTask(const Replies& replies) {
  const RedisReply& reply = replies[0];
  if (reply.size() == 0) return std::optional<Task>();
  KGYM_TRY(Task task, WholeTaskOf(reply));
  return std::optional<Task>(std::move(task));
}

Result<int> ReadSum(const Replies& replies) {
  int sum = 0;
  for (const RedisReply& reply : replies) sum += static_cast<int>(reply[0].Int());
  return sum;
}

Result<ListPage> ReadPage(const Replies& replies) {
  const RedisReply& reply = replies[0];
  ListPage page{.next = reply[0].Text()};
  for (std::size_t i = 1; i < reply.size(); ++i) {
    KGYM_TRY(Task task, TaskOf(reply[i]));
    page.tasks.push_back(std::move(task));
  }
  return page;
}

Result<QueueStats> ReadStats(const Replies& replies) {
  const RedisReply& reply = replies[0];
  QueueStats stats;
  std::size_t next = 0;
  const auto take = [&] { return reply[next++].Int(); };
  for (std::int64_t& number : stats.by_state) number = take();
  for (std::int64_t& number : stats.queued_by_priority) number = take();
  stats.attached = take();
  stats.accepted = take();
  stats.redelivered = take();
  stats.stale = take();
  for (const TaskState state : {TaskState::kDone, TaskState::kCancelled, TaskState::kDead}) {
    stats.ended[static_cast<std::size_t>(state)] = take();
  }
  stats.oldest_queued_ms = take();
  return stats;
}

// Ended tasks a second, from how many ended in this minute of the date and in the one before.
double EndedRate(std::int64_t this_minute, std::int64_t last_minute, std::int64_t now_ms) {
  const double gone = static_cast<double>(now_ms % 60'000) / 60'000;
  return (static_cast<double>(this_minute) + static_cast<double>(last_minute) * (1 - gone)) / 60;
}

Result<Accepted> ReadAccepted(const TaskSpec& spec, const Bounds& bounds, std::int64_t now_ms,
                              const RedisReply& reply) {
  const std::string kind = First(reply);
  if (kind == "full" || kind == "tenant full") {
    const bool tenant = kind == "tenant full";
    const double rate = EndedRate(reply[1].Int(), reply[2].Int(), now_ms);
    return Accepted{.kind = Accepted::Kind::kFull,
                    .task = Task{.spec = spec},
                    .retry_after = RetryAfter(tenant ? bounds.queued_per_tenant : bounds.queued, rate),
                    .reason = FullReason(bounds, tenant, spec.tenant)};
  }
  Accepted accepted;
  KGYM_TRY(accepted.task, WholeTaskOf(reply, 1));
  if (kind == "same") accepted.kind = Accepted::Kind::kSame;
  if (kind == "conflict") {
    accepted.kind = Accepted::Kind::kConflict;
    accepted.reason = ConflictReason(spec.id);
  }
  return accepted;
}

class RedisQueue final : public Queue {
 public:
  RedisQueue(RedisOptions options, const Clock& clock)
      : options_(std::move(options)), clock_(clock), date_(clock), link_(options_) {}

  Status Start() { return link_.Start(); }

  Awaitable<Result<std::vector<Accepted>>> Submit(std::vector<TaskSpec> specs) override {
    Operations operations;
    const std::int64_t now_ms = date_.NowMs();
    for (const TaskSpec& spec : specs) {
      KGYM_CO_TRY_VOID(CheckSpec(spec));
      RedisCommand& command =
          operations.emplace_back(RedisCommand{"submit", std::to_string(now_ms), std::to_string(options_.bounds.queued),
                                               std::to_string(options_.bounds.queued_per_tenant), spec.payload});
      AppendSpec(spec, command);
    }
    Reader<std::vector<Accepted>> read = [specs = std::move(specs), bounds = options_.bounds,
                                          now_ms](const Replies& replies) {
      return ReadAllAccepted(specs, bounds, now_ms, replies);
    };
    co_return co_await Ask<std::vector<Accepted>>(std::move(operations), std::move(read));
  }

  Awaitable<Result<std::vector<Task>>> Lease(std::string worker, std::vector<Want> wants, Duration lease) override {
    KGYM_CO_TRY_VOID(CheckLease(worker, lease));
    const auto lease_ms = std::chrono::duration_cast<std::chrono::milliseconds>(lease).count();
    const std::string nonce = RandomHex(8);
    Operations operations;
    for (const Want& want : wants) {
      operations.push_back({"lease", Now(), want.id, worker, want.lane, std::to_string(lease_ms), nonce});
    }
    Reader<std::vector<Task>> read = ReadLeased;
    co_return co_await Ask<std::vector<Task>>(std::move(operations), std::move(read));
  }

  Awaitable<Result<std::vector<Hold>>> Extend(std::vector<Hold> holds, std::string stage) override {
    Operations operations;
    for (const Hold& hold : holds) operations.push_back(OfHold("extend", hold, stage));
    Reader<std::vector<Hold>> read = [holds = std::move(holds)](const Replies& replies) {
      std::vector<Hold> lost;
      for (std::size_t i = 0; i < holds.size(); ++i) {
        if (First(replies[i]) != "held") lost.push_back(holds[i]);
      }
      return Result<std::vector<Hold>>(std::move(lost));
    };
    co_return co_await Ask<std::vector<Hold>>(std::move(operations), std::move(read));
  }

  Awaitable<Result<Told>> Complete(Hold hold, std::string result) override {
    return AskOne<Told>(OfHold("complete", hold, result), ReadTold);
  }

  Awaitable<Result<Told>> HandBack(Hold hold) override { return AskOne<Told>(OfHold("hand_back", hold, ""), ReadTold); }

  Awaitable<Result<Told>> Fail(Hold hold, std::string reason) override {
    return AskOne<Told>(OfHold("fail", hold, reason), ReadTold);
  }

  Awaitable<Result<std::optional<Task>>> Cancel(std::string id) override {
    return AskOne<std::optional<Task>>({"cancel", Now(), id}, ReadTask);
  }

  Awaitable<Result<std::optional<Task>>> Get(std::string id) override {
    return AskOne<std::optional<Task>>({"get", Now(), id}, ReadTask);
  }

  Awaitable<Result<ListPage>> List(ListFilter filter, std::string cursor, int limit) override {
    KGYM_CO_TRY_VOID(CheckLimit(limit));
    KGYM_CO_TRY(const std::uint64_t before, ParseCursor(cursor));
    const std::string state = filter.state ? std::to_string(static_cast<int>(*filter.state)) : "";
    RedisCommand list = {"list",        Now(),     std::to_string(before), std::to_string(limit), state,
                         filter.tenant, filter.run};
    co_return co_await AskOne<ListPage>(std::move(list), ReadPage);
  }

  Awaitable<Result<QueueStats>> Stats() override { return AskOne<QueueStats>({"stats", Now()}, ReadStats); }

  Awaitable<Result<int>> ExpireLeases() override {
    Operations look = {{"running", Now()}};
    Reader<std::vector<LeaseWatch::Lost>> judge = [this](const Replies& replies) { return LostOf(replies); };
    KGYM_CO_TRY(const std::vector<LeaseWatch::Lost> lost,
                co_await Ask<std::vector<LeaseWatch::Lost>>(std::move(look), std::move(judge)));
    Operations operations;
    for (const LeaseWatch::Lost& lease : lost) {
      operations.push_back({"take_back", Now(), lease.id, std::to_string(lease.attempt), std::to_string(lease.beat)});
    }
    operations.push_back({"pass_deadlines", Now()});
    Reader<int> read = ReadSum;
    co_return co_await Ask<int>(std::move(operations), std::move(read));
  }

  Awaitable<Result<int>> Forget(Retention retention) override {
    const auto age_ms = std::chrono::duration_cast<std::chrono::milliseconds>(retention.age).count();
    return AskOne<int>({"forget", Now(), std::to_string(date_.NowMs() - age_ms), std::to_string(retention.count),
                        std::to_string(kForgottenAtOnce)},
                       ReadSum);
  }

  std::unique_ptr<Subscription> Watch(Executor executor, std::function<void(const Changes&)> callback) override {
    return std::make_unique<RedisWatcher>(options_,
                                          std::make_shared<Subscriber>(std::move(executor), std::move(callback)));
  }

 private:
  std::string Now() const { return std::to_string(date_.NowMs()); }

  RedisCommand OfHold(const char* operation, const Hold& hold, const std::string& last) const {
    return {operation, Now(), hold.id, hold.worker, std::to_string(hold.attempt), last};
  }

  static Result<std::vector<Accepted>> ReadAllAccepted(const std::vector<TaskSpec>& specs, const Bounds& bounds,
                                                       std::int64_t now_ms, const Replies& replies) {
    std::vector<Accepted> all;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      KGYM_TRY(Accepted accepted, ReadAccepted(specs[i], bounds, now_ms, replies[i]));
      all.push_back(std::move(accepted));
    }
    return all;
  }

  static Result<std::vector<Task>> ReadLeased(const Replies& replies) {
    std::vector<Task> leased;
    for (const RedisReply& reply : replies) {
      if (First(reply) != "leased") continue;
      KGYM_TRY(Task task, WholeTaskOf(reply, 1));
      leased.push_back(std::move(task));
    }
    return leased;
  }

  // What a look at the running leases says, together with the looks before it.
  Result<std::vector<LeaseWatch::Lost>> LostOf(const Replies& replies) {
    const RedisReply& seen = replies[0];
    const std::lock_guard lock(mutex_);
    std::vector<std::string> ids;
    for (std::size_t i = 0; i + 3 < seen.size(); i += 4) {
      ids.push_back(seen[i].Text());
      leases_.Observe(ids.back(), static_cast<int>(seen[i + 1].Int()), seen[i + 2].Int(),
                      std::chrono::milliseconds(seen[i + 3].Int()), clock_.Now());
    }
    leases_.KeepOnly(ids);
    return leases_.LostAt(clock_.Now());
  }

  template <class T>
  Awaitable<Result<T>> AskOne(RedisCommand operation, Result<T> (*read)(const Replies&)) {
    Operations operations;
    operations.push_back(std::move(operation));
    Reader<T> reader = read;
    co_return co_await Ask<T>(std::move(operations), std::move(reader));
  }

  template <class T>
  Awaitable<Result<T>> Ask(Operations operations, Reader<T> read) {
    auto caller = std::make_shared<Pending<T>>(co_await boost::asio::this_coro::executor);
    RedisCall call{.operations = std::move(operations), .answer = {}};
    call.answer = [caller, read = std::move(read)](Result<Replies> replies) {
      caller->Answer(replies ? read(*replies) : Result<T>(replies.error()));
    };
    link_.Put(std::move(call));
    co_return co_await caller->Wait();
  }

  const RedisOptions options_;
  const Clock& clock_;
  const UnixClock date_;
  std::mutex mutex_;
  LeaseWatch leases_;  // Guarded by mutex_.
  RedisLink link_;     // Last: its thread ends before what it uses.
};

}  // namespace

Result<std::unique_ptr<Queue>> OpenRedisQueue(RedisOptions options) {
  static const MonotonicClock machine_clock;
  const Clock& clock = options.clock != nullptr ? *options.clock : machine_clock;
  auto queue = std::make_unique<RedisQueue>(std::move(options), clock);
  KGYM_TRY_VOID(queue->Start());
  return std::unique_ptr<Queue>(std::move(queue));
}

}  // namespace kgym::service
