// The queues, measured: how many submissions a second are accepted durably, against one commit (or round trip) for each
// in the same run; and how long it takes from a submission until its task is leased, at a steady rate.
//
// Both are in a folder of their own below --folder, which should be on the disk that counts: on a tmpfs a sync costs
// nothing. Times are never asserted; each figure stands beside its target.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/async.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "service/queue/redis_queue.h"
#include "service/queue/redis_server.h"
#include "service/queue/sqlite_ledger.h"
#include "service/queue/sqlite_queue.h"
#include "service/queue/sqlite_schema.h"

namespace kgym::service {
namespace {

namespace asio = boost::asio;
using SteadyTime = std::chrono::steady_clock::time_point;

struct Options {
  std::vector<std::string> queues = {"sqlite", "redis"};
  std::string folder = ".";
  int submissions = 10'000;
  int submitters = 64;   // Each waits for its answer before it submits again.
  int one_by_one = 500;  // Submissions of the baseline.
  int payload_bytes = 2000;
  double rate = 500;   // Submissions a second of the latency run.
  double seconds = 4;  // How long that runs.
  bool json = false;
};

double SecondsSince(SteadyTime start) { return ToSeconds(std::chrono::steady_clock::now() - start); }

double Percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

TaskSpec SpecOf(const std::string& id, int payload_bytes) {
  return {.id = id,
          .tenant = "bench",
          .run = "bench",
          .payload = Concat("{\"source\":\"", std::string(static_cast<std::size_t>(payload_bytes), 'x'), "\"}")};
}

Awaitable<void> SubmitMany(Queue& queue, const Options& options, int& next) {
  while (next < options.submissions) {
    std::vector<TaskSpec> one = {SpecOf(Concat("t", next++), options.payload_bytes)};
    const auto accepted = co_await queue.Submit(std::move(one));
    KGYM_CHECK(accepted.value()[0].kind == Accepted::Kind::kNew);
  }
}

double SubmissionsPerSecond(asio::io_context& context, Queue& queue, const Options& options) {
  int next = 0;
  for (int i = 0; i < options.submitters; ++i) Spawn(context.get_executor(), SubmitMany(queue, options, next));
  const SteadyTime start = std::chrono::steady_clock::now();
  context.restart();
  context.run();
  return options.submissions / SecondsSince(start);
}

// A lane that takes each task as soon as it hears of it, and is done with it at once.
class Dispatcher {
 public:
  Dispatcher(asio::io_context& context, Queue& queue, const Options& options)
      : context_(context), queue_(queue), options_(options) {}

  std::vector<double> Run() {
    const auto subscription = queue_.Watch(context_.get_executor(), [this](const Changes& changes) { Hear(changes); });
    const auto guard = asio::make_work_guard(context_);
    context_.restart();
    while (!begun_) context_.run_one();
    Spawn(context_.get_executor(), Arrive());
    while (leased_ms_.size() < total()) context_.run_one();
    while (completing_ > 0) context_.run_one();
    return leased_ms_;
  }

 private:
  std::size_t total() const { return static_cast<std::size_t>(options_.rate * options_.seconds); }

  void Hear(const Changes& changes) {
    begun_ = true;
    if (changes.reset) return;  // What an earlier part of the run left.
    for (const Task& task : changes.tasks) {
      if (task.state == TaskState::kQueued) Spawn(context_.get_executor(), Take(task.spec.id));
    }
  }

  // On time whatever happens: a queue that is slow is not spared the next submission.
  Awaitable<void> Arrive() {
    const SteadyTime start = std::chrono::steady_clock::now();
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (std::size_t i = 0; i < total(); ++i) {
      const SteadyTime due = start + FromSeconds(static_cast<double>(i) / options_.rate);
      timer.expires_at(due);
      co_await timer.async_wait(asio::use_awaitable);
      const std::string id = Concat("latency", i);
      due_[id] = due;
      Spawn(context_.get_executor(), SubmitOne(id));
    }
  }

  Awaitable<void> SubmitOne(std::string id) {
    std::vector<TaskSpec> one = {SpecOf(id, options_.payload_bytes)};
    const auto accepted = co_await queue_.Submit(std::move(one));
    KGYM_CHECK(accepted.ok()) << accepted.error().message;
  }

  Awaitable<void> Take(std::string id) {
    std::vector<Want> wants = {Want{id, "lane"}};
    const auto leased = co_await queue_.Lease("bench", std::move(wants), 1min);
    KGYM_CHECK_EQ(leased.value().size(), 1u);
    leased_ms_.push_back(ToMs(std::chrono::steady_clock::now() - due_.at(id)));
    ++completing_;
    Hold hold{.worker = "bench", .id = id, .attempt = 1};
    const auto told = co_await queue_.Complete(std::move(hold), "{\"outcome\":\"ok\"}");
    --completing_;
    KGYM_CHECK(told.value() == Told::kStored);
  }

  asio::io_context& context_;
  Queue& queue_;
  const Options& options_;
  bool begun_ = false;
  int completing_ = 0;
  std::unordered_map<std::string, SteadyTime> due_;
  std::vector<double> leased_ms_;
};

// The baseline of the embedded queue: the same rows, a transaction each.
double RowsOneByOne(const std::filesystem::path& folder, const Options& options) {
  auto database = std::move(Database::Open(folder / "baseline.db")).value();
  database->Run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;").value();
  MigrateSchema(*database).value();
  const MonotonicClock clock;
  SqliteLedger ledger(*database, clock, {});
  ledger.Load().value();
  const SteadyTime start = std::chrono::steady_clock::now();
  for (int i = 0; i < options.one_by_one; ++i) {
    database->Run("BEGIN IMMEDIATE").value();
    KGYM_CHECK(ledger.Submit(SpecOf(Concat("b", i), options.payload_bytes)).ok());
    database->Run("COMMIT").value();
    ledger.Settle();
  }
  return options.one_by_one / SecondsSince(start);
}

// The baseline of the distributed queue: the same calls, a round trip and a sync each.
double CallsOneByOne(asio::io_context& context, Queue& queue, Options options) {
  options.submissions = options.one_by_one;
  options.submitters = 1;
  return SubmissionsPerSecond(context, queue, options);
}

struct Target {
  double submissions_per_s, p50_ms, p99_ms;
};

Json Measure(Queue& queue, asio::io_context& context, double baseline, Target target, const Options& options) {
  const double per_second = SubmissionsPerSecond(context, queue, options);
  const std::vector<double> latency_ms = Dispatcher(context, queue, options).Run();
  return {{"submissions_per_s", per_second},
          {"submissions_per_s_target", target.submissions_per_s},
          {"one_by_one_per_s", baseline},
          {"ratio", per_second / baseline},
          {"submit_to_lease_ms",
           {{"rate_per_s", options.rate},
            {"p50", Percentile(latency_ms, 0.5)},
            {"p50_target", target.p50_ms},
            {"p99", Percentile(latency_ms, 0.99)},
            {"p99_target", target.p99_ms},
            {"max", Percentile(latency_ms, 1)}}}};
}

Result<Json> MeasureSqlite(const std::filesystem::path& folder, const Options& options) {
  const double baseline = RowsOneByOne(folder, options);
  asio::io_context context;
  KGYM_TRY(const std::unique_ptr<Queue> queue, OpenSqliteQueue({.path = folder / "queue.db"}));
  return Measure(*queue, context, baseline, {2000, 1, 5}, options);
}

Result<Json> MeasureRedis(const std::filesystem::path& folder, const Options& options) {
  KGYM_TRY(const std::unique_ptr<RedisServer> server, RedisServer::Start({"--dir", folder.string()}));
  asio::io_context context;
  KGYM_TRY(const std::unique_ptr<Queue> first, OpenRedisQueue({.address = server->address(), .prefix = "{baseline}:"}));
  const double baseline = CallsOneByOne(context, *first, options);
  KGYM_TRY(const std::unique_ptr<Queue> queue, OpenRedisQueue({.address = server->address()}));
  return Measure(*queue, context, baseline, {1000, 0, 20}, options);
}

void Print(const std::string& name, const Json& row) {
  const Json& latency = row["submit_to_lease_ms"];
  const auto number = [](const Json& json, const char* key) { return json[key].get<double>(); };
  std::printf("%-7s %8.0f submissions/s durably (target %.0f), %.1f times the %.0f/s of one at a time\n", name.c_str(),
              number(row, "submissions_per_s"), number(row, "submissions_per_s_target"), number(row, "ratio"),
              number(row, "one_by_one_per_s"));
  std::printf("%-7s submit to lease at %.0f/s: p50 %.2f ms, p99 %.2f ms (target %.0f), max %.2f ms\n", "",
              number(latency, "rate_per_s"), number(latency, "p50"), number(latency, "p99"),
              number(latency, "p99_target"), number(latency, "max"));
}

int Run(const Options& options) {
  Json all = Json::object();
  int code = 0;
  for (const std::string& name : options.queues) {
    Result<TempDir> folder = TempDir::Create("queue-bench-", std::filesystem::absolute(options.folder));
    if (!folder) {
      std::fprintf(stderr, "queue_bench: %s\n", folder.error().message.c_str());
      return 2;
    }
    const Result<Json> row =
        name == "sqlite" ? MeasureSqlite(folder->path(), options) : MeasureRedis(folder->path(), options);
    if (!row) {
      std::fprintf(stderr, "queue_bench: %s is left out: %s\n", name.c_str(), row.error().message.c_str());
      code = 1;
      continue;
    }
    if (!options.json) Print(name, *row);
    all[name] = *row;
  }
  if (options.json) std::printf("%s\n", DumpJson(all, 2).c_str());
  return code;
}

}  // namespace
}  // namespace kgym::service

int main(int argc, char** argv) {
  kgym::service::Options options;
  CLI::App app("Measures the queues of the service.");
  app.add_option("--queue", options.queues, "sqlite, redis; both where not given")
      ->check(CLI::IsMember({"sqlite", "redis"}));
  app.add_option("--folder", options.folder, "where the queues' folders are made")->capture_default_str();
  app.add_option("--submissions", options.submissions, "of the throughput run")->capture_default_str();
  app.add_option("--submitters", options.submitters, "at once")->capture_default_str();
  app.add_option("--rate", options.rate, "submissions a second of the latency run")->capture_default_str();
  app.add_option("--seconds", options.seconds, "of the latency run")->capture_default_str();
  app.add_flag("--json", options.json, "one JSON object");
  CLI11_PARSE(app, argc, argv);
  return kgym::service::Run(options);
}
