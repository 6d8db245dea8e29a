#include "service/api/serve.h"

#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/files.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/text.h"
#include "service/api/api.h"
#include "service/api/attendance.h"
#include "service/api/build_store.h"
#include "service/api/data_folder.h"
#include "service/api/fake_lanes.h"
#include "service/api/judge_lanes.h"
#include "service/api/worker.h"
#include "service/api/worker_name.h"
#include "service/page/page.h"
#include "service/queue/memory_roster.h"
#include "service/queue/redis_queue.h"
#include "service/queue/redis_roster.h"
#include "service/queue/sqlite_queue.h"
#include "service/queue/tend.h"

namespace kgym::service {
namespace {

namespace asio = boost::asio;

constexpr Duration kTendEvery = 1s;
constexpr Duration kLastAnswers = 5s;  // What clients get to take their answers once all work has ended.
constexpr int kEndedAtOnce = 130;

/// Ten thousand clients are ten thousand descriptors.
void RaiseDescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 65'536);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The one token of a server that was given none: the same after a restart.
Result<std::string> OwnToken(const std::filesystem::path& file) {
  if (const char* given = std::getenv("KGYM_TOKEN"); given != nullptr && *given != '\0') return std::string(given);
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    KGYM_TRY(const std::string text, ReadFile(file, 4096));
    if (std::string token(Trim(text)); !token.empty()) return token;
  }
  const std::string token = RandomHex(16);
  KGYM_TRY_VOID(WriteFileAtomic(file, token + "\n", 0600));
  return token;
}

Status FillAccess(http::Access& access, const ServeOptions& options, Serving& serving) {
  if (options.no_auth && !http::IsLoopback(options.host))
    return Error{Concat("--no-auth with host ", options.host,
                        ": everybody who reaches it could run code here; use it with 127.0.0.1, or leave it out")};
  if (options.no_auth) return access.Open(), Ok();
  if (!options.tokens.empty()) {
    KGYM_TRY(std::vector<http::TokenSpec> specs, http::ReadTokens(options.tokens));
    for (http::TokenSpec& spec : specs) access.Add(std::move(spec));
    serving.token_file = options.tokens;
    return Ok();
  }
  serving.token_file = options.data / "token";
  KGYM_TRY(serving.token, OwnToken(serving.token_file));
  access.Add({serving.token, {"owner", true, true, true}});
  return Ok();
}

std::unique_ptr<Lanes> MakeLanes(const Executor& executor, const ServeOptions& options, BuildStore& builds) {
  if (!options.lanes) return std::make_unique<JudgeLanes>(executor, std::vector<judge::JudgeConfig>(), 0);
  if (options.fake_lanes > 0)
    return std::make_unique<FakeLanes>(executor, options.fake_lanes, options.fake_hold, options.fake_wedge);
  const std::string suite = options.suite == judge::SuiteKind::kBuiltIn ? options.root.string() : "";
  return std::make_unique<JudgeLanes>(executor, options.judges, options.slots, &builds, suite);
}

Catalogue ReadCatalogue(const ServeOptions& options) {
  Result<Catalogue> catalogue = Catalogue::Read(options.suite, options.root);
  if (catalogue.ok()) return *std::move(catalogue);
  LogWarning("submissions must bring their own problems: " + catalogue.error().message);
  return {};
}

struct Opened {
  std::unique_ptr<Queue> queue;
  std::unique_ptr<Roster> roster;
  std::string kind;
  std::string where;
  WorkerOptions worker;
  WorkerName name;  // Where nobody gave it one and there are others on the queue.
};

Result<Opened> OpenQueue(const ServeOptions& options, const Clock& clock) {
  Opened opened;
  if (!options.name.empty()) opened.worker.name = options.name;
  opened.worker.labels = options.labels;
  opened.worker.version = options.version;
  if (options.queue.empty()) {
    const std::filesystem::path path = options.data / "queue.sqlite";
    KGYM_TRY(opened.queue, OpenSqliteQueue({.path = path, .bounds = options.bounds}));
    opened.roster = std::make_unique<MemoryRoster>(clock);
    opened.kind = "sqlite";
    opened.where = path.string();
    return opened;
  }
  KGYM_TRY(const RedisAddress address, ParseRedisAddress(options.queue));
  opened.kind = "redis";
  opened.where = address.Text();
  KGYM_TRY(opened.queue, OpenRedisQueue({.address = address, .bounds = options.bounds}));
  KGYM_TRY(opened.roster, OpenRedisRoster({.address = address}));
  if (options.name.empty()) {
    opened.name = TakeWorkerName(options.data / "names");
    opened.worker.name = opened.name.name;
    opened.worker.before = opened.name.before;
  }
  return opened;
}

/// The lanes' thread and what lives on it.
class Workshop {
 public:
  Workshop(asio::io_context& io, const Opened& opened, const ServeOptions& options, BuildStore& builds)
      : io_(io),
        lanes_(MakeLanes(io_.get_executor(), options, builds)),
        worker_(io_.get_executor(), *opened.queue, *lanes_, opened.worker) {}

  void Start(std::function<void()> ended) {
    thread_ = std::thread([this, ended = std::move(ended)] {
      Spawn(io_.get_executor(), worker_.Run());
      io_.run();
      ended();
    });
  }
  void Drain(Duration patience) {
    asio::post(io_, [this, patience] { worker_.Drain(patience); });
  }
  void Join() { thread_.join(); }
  SharedWorkerView view() const { return worker_.view(); }

 private:
  asio::io_context& io_;
  std::unique_ptr<Lanes> lanes_;
  Worker worker_;
  std::thread thread_;
};

/// The HTTP side, on the calling thread.
class Front {
 public:
  Front(asio::io_context& io, const Opened& opened, Workshop& workshop, const ServeOptions& options,
        const Catalogue& catalogue, const WorkflowCatalogue& workflows, http::Access& access, BuildStore& builds)
      : io_(io),
        queue_(*opened.queue),
        workshop_(workshop),
        options_(options),
        unix_(clock_),
        feed_(io_.get_executor(), queue_),
        ends_(io_.get_executor(), queue_),
        crew_(*opened.roster, feed_, [&workshop] { return workshop.view(); }),
        attendance_(io_.get_executor(), *opened.roster, [&workshop] { return workshop.view(); }),
        attends_(opened.kind == "redis" && options.lanes),
        api_{.executor = io_.get_executor(),
             .queue = queue_,
             .feed = feed_,
             .ends = ends_,
             .clock = unix_,
             .catalogue = catalogue,
             .workflows = workflows,
             .config = options.judges.front(),
             .version = options.version,
             .crew = crew_,
             .builds = builds,
             .queue_kind = opened.kind,
             .open = options.no_auth},
        site_(routes_, access, clock_),
        workers_gone_(io_.get_executor()) {
    AddRoutes(routes_, api_);
    AddPage(routes_);
    if (options.more_routes) more_ = options.more_routes(routes_, api_);
    api_.site = &site_;
  }

  Status Listen() {
    KGYM_TRY(server_, http::Server::Listen(io_.get_executor(), options_.host, options_.port, options_.limits, site_));
    api_.server = server_.get();
    return Ok();
  }
  std::uint16_t port() const { return server_->port(); }

  /// Others on the queue see our worker from here on.
  Status Join() {
    if (!attends_) return Ok();
    std::optional<Status> joined;
    Spawn(io_.get_executor(), JoinRoster(joined));
    while (!joined) io_.run_one();
    io_.restart();  // It had nothing else to do.
    return *joined;
  }

  /// Until a signal, and the drain behind it.
  void Run() {
    asio::co_spawn(io_, Tend(queue_, kTendEvery, options_.retention),
                   asio::bind_cancellation_slot(end_tending_.slot(), asio::detached));
    asio::co_spawn(io_, crew_.Follow(), asio::bind_cancellation_slot(end_following_.slot(), asio::detached));
    if (attends_) Spawn(io_.get_executor(), KeepJoined());
    Spawn(io_.get_executor(), Life());
    io_.run();
  }

  /// From any thread.
  void WorkersAreGone() {
    asio::post(io_, [this] { workers_gone_.Raise(); });
  }

 private:
  Awaitable<void> JoinRoster(std::optional<Status>& joined) { joined = co_await attendance_.Join(); }

  Awaitable<void> KeepJoined() {
    const Status kept = co_await attendance_.Keep();
    if (!kept.ok()) LogError("other servers do not see this one: " + kept.error().message);
  }

  Awaitable<void> Life() {
    co_await signals_.async_wait(asio::use_awaitable);
    LogInfo(
        Concat("draining: what runs may go on for ", FormatDuration(options_.drain), "; a second signal ends at once"));
    signals_.async_wait([](const boost::system::error_code& code, int) {
      if (!code) ::_exit(kEndedAtOnce);
    });
    api_.draining = true;
    feed_.Touch();
    workshop_.Drain(options_.drain);
    co_await workers_gone_.WaitUntil(Instant::max());
    attendance_.Leave();
    end_tending_.emit(asio::cancellation_type::terminal);
    end_following_.emit(asio::cancellation_type::terminal);
    co_await server_->Stop(kLastAnswers);
    signals_.cancel();
  }

  asio::io_context& io_;
  asio::signal_set signals_{io_, SIGINT, SIGTERM};  // From before anybody is told that it serves.
  Queue& queue_;
  Workshop& workshop_;
  const ServeOptions& options_;
  MonotonicClock clock_;
  UnixClock unix_;
  Feed feed_;
  EndReader ends_;
  Crew crew_;
  Attendance attendance_;
  const bool attends_;  // A worker of an embedded queue is nobody else's affair.
  Api api_;
  http::Routes routes_;
  std::shared_ptr<void> more_;  // Of other APIs' routes.
  http::Site site_;
  std::unique_ptr<http::Server> server_;
  http::Signal workers_gone_;
  asio::cancellation_signal end_tending_, end_following_;
};

}  // namespace

Status Serve(ServeOptions options, std::function<void(const Serving&)> begun) {
  RaiseDescriptorLimit();
  if (options.data.empty()) options.data = DefaultDataFolder();
  KGYM_TRY_VOID(MakeFolders(options.data));
  Serving serving;
  const MonotonicClock clock;
  http::Access access(clock);
  KGYM_TRY_VOID(FillAccess(access, options, serving));
  asio::io_context front_io{1}, lanes_io{1};  // What the queue still has to answer may come after all else is gone.
  KGYM_TRY(const WorkflowCatalogue workflows, WorkflowCatalogue::Read(options.judges.front().extensions));
  KGYM_TRY(const Opened opened, OpenQueue(options, clock));
  const Catalogue catalogue = ReadCatalogue(options);
  BuildStore builds(options.data / "builds", options.builds_bytes);
  Workshop workshop(lanes_io, opened, options, builds);
  Front front(front_io, opened, workshop, options, catalogue, workflows, access, builds);
  KGYM_TRY_VOID(front.Join());
  KGYM_TRY_VOID(front.Listen());
  serving.url =
      Concat("http://", options.host.find(':') == std::string::npos ? options.host : Concat("[", options.host, "]"),
             ":", front.port());
  serving.queue = opened.where;
  serving.problems = catalogue.size();
  workshop.Start([&front] { front.WorkersAreGone(); });
  begun(serving);
  front.Run();
  workshop.Join();
  return Ok();
}

}  // namespace kgym::service
