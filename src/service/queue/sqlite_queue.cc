#include "service/queue/sqlite_queue.h"

#include <boost/asio/this_coro.hpp>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "service/queue/change_feed.h"
#include "service/queue/inbox.h"
#include "service/queue/pending.h"
#include "service/queue/request_check.h"
#include "service/queue/sqlite_ledger.h"
#include "service/queue/sqlite_schema.h"

namespace kgym::service {
namespace {

// One call: carried out, perhaps more than once (an undone transaction is tried again), then answered once.
class Call {
 public:
  virtual ~Call() = default;
  virtual Status Run(SqliteLedger& ledger) = 0;
  virtual void Answer(const Status& committed) = 0;
};

template <class T>
class CallOf final : public Call {
 public:
  using Work = std::function<Result<T>(SqliteLedger&)>;

  CallOf(Work work, std::shared_ptr<Pending<T>> caller) : work_(std::move(work)), caller_(std::move(caller)) {}

  Status Run(SqliteLedger& ledger) override {
    result_ = work_(ledger);
    return result_ ? Ok() : Status(result_.error());
  }
  void Answer(const Status& committed) override {
    caller_->Answer(committed ? std::move(result_) : Result<T>(committed.error()));
  }

 private:
  Work work_;
  std::shared_ptr<Pending<T>> caller_;
  Result<T> result_ = Error{};
};

// Reads what lives after the transaction, when the others were told of its changes: so it hears of each once.
class SubscribeCall final : public Call {
 public:
  SubscribeCall(ChangeFeed& feed, SqliteLedger& ledger, std::shared_ptr<Subscriber> subscriber)
      : feed_(feed), ledger_(ledger), subscriber_(std::move(subscriber)) {}

  Status Run(SqliteLedger&) override { return Ok(); }
  void Answer(const Status&) override {
    Result<std::vector<Task>> live = ledger_.Live();
    if (!live) LogError(Concat("queue: a subscriber is not told what lives: ", live.error().message));
    feed_.Begin(subscriber_, std::move(live).value_or({}));
  }

 private:
  ChangeFeed& feed_;
  SqliteLedger& ledger_;
  std::shared_ptr<Subscriber> subscriber_;
};

class Held final : public Subscription {
 public:
  explicit Held(std::shared_ptr<Subscriber> subscriber) : subscriber_(std::move(subscriber)) {}
  ~Held() override { subscriber_->End(); }

 private:
  std::shared_ptr<Subscriber> subscriber_;
};

class SqliteQueue final : public Queue {
 public:
  SqliteQueue(std::unique_ptr<Database> database, const Clock& clock, Bounds bounds)
      : database_(std::move(database)), ledger_(*database_, clock, bounds) {}

  ~SqliteQueue() override {
    inbox_.Close();
    if (thread_.joinable()) thread_.join();
  }

  Status Start() {
    KGYM_TRY_VOID(ledger_.Load());
    thread_ = std::thread([this] { Serve(); });
    return Ok();
  }

  Awaitable<Result<std::vector<Accepted>>> Submit(std::vector<TaskSpec> specs) override {
    for (const TaskSpec& spec : specs) KGYM_CO_TRY_VOID(CheckSpec(spec));
    Work<std::vector<Accepted>> work = [specs = std::move(specs)](SqliteLedger& ledger) {
      return SubmitAll(ledger, specs);
    };
    co_return co_await Ask<std::vector<Accepted>>(std::move(work));
  }

  Awaitable<Result<std::vector<Task>>> Lease(std::string worker, std::vector<Want> wants, Duration lease) override {
    KGYM_CO_TRY_VOID(CheckLease(worker, lease));
    Work<std::vector<Task>> work = [worker = std::move(worker), wants = std::move(wants), lease](SqliteLedger& ledger) {
      return ledger.Lease(worker, wants, lease);
    };
    co_return co_await Ask<std::vector<Task>>(std::move(work));
  }

  Awaitable<Result<std::vector<Hold>>> Extend(std::vector<Hold> holds, std::string stage) override {
    Work<std::vector<Hold>> work = [holds = std::move(holds), stage = std::move(stage)](SqliteLedger& ledger) {
      return ledger.Extend(holds, stage);
    };
    co_return co_await Ask<std::vector<Hold>>(std::move(work));
  }

  Awaitable<Result<Told>> Complete(Hold hold, std::string result) override {
    Work<Told> work = [hold = std::move(hold), result = std::move(result)](SqliteLedger& ledger) {
      return ledger.Complete(hold, result);
    };
    co_return co_await Ask<Told>(std::move(work));
  }

  Awaitable<Result<Told>> HandBack(Hold hold) override {
    Work<Told> work = [hold = std::move(hold)](SqliteLedger& ledger) { return ledger.HandBack(hold); };
    co_return co_await Ask<Told>(std::move(work));
  }

  Awaitable<Result<Told>> Fail(Hold hold, std::string reason) override {
    Work<Told> work = [hold = std::move(hold), reason = std::move(reason)](SqliteLedger& ledger) {
      return ledger.Fail(hold, reason);
    };
    co_return co_await Ask<Told>(std::move(work));
  }

  Awaitable<Result<std::optional<Task>>> Cancel(std::string id) override {
    Work<std::optional<Task>> work = [id = std::move(id)](SqliteLedger& ledger) { return ledger.Cancel(id); };
    co_return co_await Ask<std::optional<Task>>(std::move(work));
  }

  Awaitable<Result<std::optional<Task>>> Get(std::string id) override {
    Work<std::optional<Task>> work = [id = std::move(id)](SqliteLedger& ledger) { return ledger.Get(id); };
    co_return co_await Ask<std::optional<Task>>(std::move(work));
  }

  Awaitable<Result<ListPage>> List(ListFilter filter, std::string cursor, int limit) override {
    KGYM_CO_TRY_VOID(CheckLimit(limit));
    KGYM_CO_TRY(const std::uint64_t before, ParseCursor(cursor));
    Work<ListPage> work = [filter = std::move(filter), before, limit](SqliteLedger& ledger) {
      return ledger.List(filter, before, limit);
    };
    co_return co_await Ask<ListPage>(std::move(work));
  }

  Awaitable<Result<QueueStats>> Stats() override {
    Work<QueueStats> work = [](SqliteLedger& ledger) { return ledger.Stats(); };
    co_return co_await Ask<QueueStats>(std::move(work));
  }

  Awaitable<Result<int>> ExpireLeases() override {
    Work<int> work = [](SqliteLedger& ledger) { return ledger.ExpireLeases(); };
    co_return co_await Ask<int>(std::move(work));
  }

  Awaitable<Result<int>> Forget(Retention retention) override {
    Work<int> work = [retention](SqliteLedger& ledger) { return ledger.Forget(retention); };
    co_return co_await Ask<int>(std::move(work));
  }

  std::unique_ptr<Subscription> Watch(Executor executor, std::function<void(const Changes&)> callback) override {
    auto subscriber = std::make_shared<Subscriber>(std::move(executor), std::move(callback));
    inbox_.Put(std::make_unique<SubscribeCall>(feed_, ledger_, subscriber));
    return std::make_unique<Held>(std::move(subscriber));
  }

 private:
  using Batch = std::vector<std::unique_ptr<Call>>;

  template <class T>
  using Work = typename CallOf<T>::Work;

  static Result<std::vector<Accepted>> SubmitAll(SqliteLedger& ledger, const std::vector<TaskSpec>& specs) {
    std::vector<Accepted> all;
    for (const TaskSpec& spec : specs) {
      KGYM_TRY(Accepted accepted, ledger.Submit(spec));
      all.push_back(std::move(accepted));
    }
    return all;
  }

  template <class T>
  Awaitable<Result<T>> Ask(Work<T> work) {
    auto caller = std::make_shared<Pending<T>>(co_await boost::asio::this_coro::executor);
    inbox_.Put(std::make_unique<CallOf<T>>(std::move(work), caller));
    co_return co_await caller->Wait();
  }

  void Serve() {
    for (Batch batch = inbox_.TakeAll(); !batch.empty(); batch = inbox_.TakeAll()) {
      const Status committed = Transact(batch);
      if (committed || batch.size() == 1) {
        Finish(batch, committed);
        continue;
      }
      // One of them may be what does not fit; the others shall not fail with it.
      for (std::unique_ptr<Call>& call : batch) {
        Batch alone;
        alone.push_back(std::move(call));
        Finish(alone, Transact(alone));
      }
    }
  }

  Status Transact(const Batch& batch) {
    const Status committed = RunAndCommit(batch);
    if (committed) return committed;
    if (database_->in_transaction()) {
      if (const Status undone = database_->Run("ROLLBACK"); !undone) LogError(undone.error().message);
    }
    ledger_.Undo();
    return committed;
  }

  Status RunAndCommit(const Batch& batch) {
    KGYM_TRY_VOID(database_->Run("BEGIN IMMEDIATE"));
    for (const std::unique_ptr<Call>& call : batch) KGYM_TRY_VOID(call->Run(ledger_));
    return database_->Run("COMMIT");
  }

  void Finish(const Batch& batch, const Status& committed) {
    if (committed) {
      std::vector<Task> changes = ledger_.Settle();
      if (!changes.empty()) feed_.Publish(Changes{.tasks = std::move(changes)});
    }
    for (const std::unique_ptr<Call>& call : batch) call->Answer(committed);
  }

  std::unique_ptr<Database> database_;
  SqliteLedger ledger_;
  ChangeFeed feed_;
  Inbox<std::unique_ptr<Call>> inbox_;
  std::thread thread_;  // Owns the database and the ledger from Start on.
};

// EXCLUSIVE: the lock is held until the process ends, however it ends; and no shared-memory file is needed.
Status Configure(Database& database, const SqliteOptions& options) {
  KGYM_TRY_VOID(database.Run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;"));
  KGYM_TRY_VOID(
      database.Run("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536;"
                   "PRAGMA journal_size_limit = 67108864;"));
  KGYM_TRY_VOID(MigrateSchema(database));
  if (options.max_bytes == 0) return Ok();
  KGYM_TRY(const std::int64_t page_size, database.Int("PRAGMA page_size"));
  return database.Run(Concat("PRAGMA max_page_count = ", options.max_bytes / page_size));
}

}  // namespace

Result<std::unique_ptr<Queue>> OpenSqliteQueue(SqliteOptions options) {
  static const MonotonicClock machine_clock;
  const Clock& clock = options.clock != nullptr ? *options.clock : machine_clock;
  KGYM_TRY(std::unique_ptr<Database> database, Database::Open(options.path));
  KGYM_TRY_VOID(Configure(*database, options));
  auto queue = std::make_unique<SqliteQueue>(std::move(database), clock, options.bounds);
  KGYM_TRY_VOID(queue->Start());
  return std::unique_ptr<Queue>(std::move(queue));
}

}  // namespace kgym::service
