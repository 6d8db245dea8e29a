#include "service/api/work.h"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <optional>

#include "base/log.h"
#include "base/text.h"
#include "service/api/attendance.h"
#include "service/api/build_lanes.h"
#include "service/api/data_folder.h"
#include "service/api/fake_lanes.h"
#include "service/api/judge_lanes.h"
#include "service/api/worker.h"
#include "service/api/worker_name.h"
#include "service/http/client.h"
#include "service/queue/redis_queue.h"
#include "service/queue/redis_roster.h"
#include "service/remote/remote_builds.h"
#include "service/remote/remote_queue.h"
#include "service/remote/remote_roster.h"

namespace kgym::service {
namespace {

namespace asio = boost::asio;

constexpr int kEndedAtOnce = 130;

/// The queue, from afar.
struct Joined {
  std::unique_ptr<http::Client> client;  // Of a server's queue.
  std::unique_ptr<WorkQueue> queue;
  std::unique_ptr<RosterEntry> roster;
  std::unique_ptr<RemoteBuilds> builds;  // Of a server.
  std::string where;
};

Result<Joined> OpenRedis(const std::string& url) {
  KGYM_TRY(const RedisAddress address, ParseRedisAddress(url));
  Joined joined;
  joined.where = address.Text();
  KGYM_TRY(joined.queue, OpenRedisQueue({.address = address}));
  KGYM_TRY(joined.roster, OpenRedisRoster({.address = address}));
  return joined;
}

Result<Joined> OpenServer(const Executor& executor, const WorkOptions& options) {
  KGYM_TRY(const http::ServerUrl url, http::ParseServerUrl(options.join));
  Joined joined;
  joined.where = url.Text();
  joined.client = std::make_unique<http::Client>(executor, url, options.token);
  joined.queue = std::make_unique<RemoteQueue>(*joined.client);
  joined.roster = std::make_unique<RemoteRoster>(*joined.client);
  joined.builds = std::make_unique<RemoteBuilds>(*joined.client);
  return joined;
}

Result<Joined> Open(const Executor& executor, const WorkOptions& options) {
  if (options.join.starts_with("http")) return OpenServer(executor, options);
  if (options.join.starts_with("redis") && options.build_only)
    return Error{"--build-only: builds are kept by a server; join one with --join http://HOST:PORT"};
  if (options.join.starts_with("redis")) return OpenRedis(options.join);
  return Error{Concat("--join: '", options.join, "'; redis[s]://HOST[:PORT] or http://HOST:PORT is expected")};
}

std::unique_ptr<Lanes> MakeLanes(const Executor& executor, const WorkOptions& options, Joined& joined) {
  if (options.fake_lanes > 0)
    return std::make_unique<FakeLanes>(executor, options.fake_lanes, options.fake_hold, options.fake_wedge);
  return std::make_unique<JudgeLanes>(executor, options.judges, options.slots, joined.builds.get());
}

std::unique_ptr<BuildLanes> MakeBuildLanes(const Executor& executor, const WorkOptions& options, Joined& joined) {
  if (!options.build_only) return nullptr;
  return std::make_unique<BuildLanes>(executor, options.judges.front(), options.build_arch, options.slots,
                                      *joined.builds);
}

/// One process's work, from joining to leaving.
class Shift {
 public:
  Shift(asio::io_context& io, Joined& joined, const WorkOptions& options, const std::vector<std::string>& before)
      : executor_(io.get_executor()),
        signals_(io, SIGINT, SIGTERM),
        options_(options),
        builds_(MakeBuildLanes(executor_, options, joined)),
        lanes_(builds_ ? nullptr : MakeLanes(executor_, options, joined)),
        worker_(executor_, *joined.queue, builds_ ? static_cast<Lanes&>(*builds_) : *lanes_,
                WorkerOptionsOf(options, before)),
        attendance_(
            executor_, *joined.roster, [this] { return worker_.view(); },
            [this](const std::string& lanes) { OnLanes(lanes); }),
        where_(joined.where) {}

  Awaitable<void> Run(std::function<void(const Working&)> begun) {
    AwaitSignal();
    outcome_ = co_await attendance_.Join();
    if (outcome_.ok()) {
      begun({options_.name, where_});
      Spawn(executor_, Keep());
      co_await worker_.Run();
      attendance_.Leave();
    }
    over_ = true;
    signals_.cancel();
  }

  const Status& outcome() const { return outcome_; }

 private:
  WorkerOptions WorkerOptionsOf(const WorkOptions& options, const std::vector<std::string>& before) {
    return {.name = options.name,
            .before = before,
            .lease = options.lease,
            .labels = options.labels,
            .version = options.version,
            .failed = [this](const std::string& fault) {
              outcome_ = Error{"the lanes did not start: " + fault};
              worker_.Drain(Duration(0));
            }};
  }

  void OnLanes(const std::string& lanes) {
    if (builds_ && builds_->Learn(lanes)) worker_.LookAgain();
  }

  Awaitable<void> Keep() {
    const Status kept = co_await attendance_.Keep();
    if (kept.ok()) co_return;
    LogError("it may work no longer: " + kept.error().message);
    outcome_ = kept;
    worker_.Drain(options_.drain);
  }

  void AwaitSignal() {
    signals_.async_wait([this](const boost::system::error_code& code, int) {
      if (code || over_) return;
      LogInfo(Concat("draining: what runs may go on for ", FormatDuration(options_.drain),
                     "; a second signal ends at once"));
      attendance_.GiveUp();
      worker_.Drain(options_.drain);
      signals_.async_wait([](const boost::system::error_code& again, int) {
        if (!again) ::_exit(kEndedAtOnce);
      });
    });
  }

  Executor executor_;
  asio::signal_set signals_;
  const WorkOptions& options_;
  std::unique_ptr<BuildLanes> builds_;  // In place of the others.
  std::unique_ptr<Lanes> lanes_;
  Worker worker_;
  Attendance attendance_;
  std::string where_;
  Status outcome_;
  bool over_ = false;
};

}  // namespace

Status Work(WorkOptions options, std::function<void(const Working&)> begun) {
  WorkerName given{.name = options.name, .before = {}, .lock = {}};
  if (given.name.empty()) given = TakeWorkerName(DefaultDataFolder() / "names");
  options.name = given.name;
  asio::io_context io{1};
  KGYM_TRY(Joined joined, Open(io.get_executor(), options));
  Shift shift(io, joined, options, given.before);
  Spawn(io.get_executor(), shift.Run(std::move(begun)));
  io.run();
  return shift.outcome();
}

}  // namespace kgym::service
