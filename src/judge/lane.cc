#include "judge/lane.h"

#include <sched.h>

#include <algorithm>
#include <charconv>

#include "base/log.h"
#include "base/text.h"
#include "judge/card_peaks.h"
#include "judge/claims.h"
#include "judge/memory_need.h"

namespace kgym::judge {
namespace {

constexpr int kInitSeed = 42;  // Of weights, not of inputs: a submission gets the same, as KernelBench does it.

// Above what the caches of any CPU sustain on one core.
constexpr double kCpuGbPerS = 1000;

// Examining a problem runs it some hundred times, in units of limits.open; of that the share after which no further
// check is begun, so that what was found is told.
constexpr int kExamineOpens = 5;
constexpr double kExamineShare = 0.6;

// Of reference hosts without a problem, on a GPU, where making a context takes longer than opening most problems.
constexpr int kReadyReferences = 2;

/// Reference hosts that a lane keeps, where the card has room for them.
int References(int at_once) { return at_once > 1 ? 4 * at_once : 1; }

/// Bytes of the card to promise to evaluations and to hosts that rest; 0 on a CPU, where the kernel counts.
std::int64_t ForAll(const LaneDevice& device, const JudgeConfig& config) {
  if (!device.on_gpu()) return 0;
  const int hosts = 2 * config.at_once + config.pool + kReadyReferences;  // Busy, ready or coming.
  return Promisable(device.found.memory_bytes, device.used_by_others, hosts);
}

std::vector<int> UsableCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) cpus.push_back(i);
  }
  return cpus;
}

ProblemFacts FactsOf(Json description) {
  ProblemFacts facts;
  facts.input_bytes = description.value("input_bytes", std::int64_t{0});
  facts.output_bytes = description.value("output_bytes", std::int64_t{0});
  facts.resident_bytes = description.value("resident_bytes", std::int64_t{0});
  facts.peak_bytes = description.value("peak_bytes", std::int64_t{0});
  facts.generate = Duration(description.value("generate_ns", std::int64_t{0}));
  facts.forward = Duration(description.value("forward_ns", std::int64_t{0}));
  facts.description = std::move(description);
  return facts;
}

Json OpenRequest(const Problem& problem, const JudgeConfig& config) {
  Json tolerance = Json::object();
  if (config.correctness.rtol > 0) tolerance["rtol"] = config.correctness.rtol;
  if (config.correctness.atol_rms > 0) tolerance["atol_rms"] = config.correctness.atol_rms;
  return {{"op", "open"},           {"name", problem.name}, {"workload", problem.workload},
          {"sizes", problem.sizes}, {"seed", kInitSeed},    {"tolerance", tolerance}};
}

}  // namespace

Lane::Lane(Executor executor, HostMaker& hosts, const JudgeConfig& config, LaneDevice device)
    : executor_(executor),
      hosts_(hosts),
      config_(config),
      device_(std::move(device)),
      gate_(executor),
      turn_(executor, static_cast<std::size_t>(config.at_once)),
      closing_(executor),
      memory_(executor, ForAll(device_, config)),
      references_(References(config.at_once)) {
  if (device_.on_gpu() && device_.nvml != nullptr) {
    watch_ = std::make_unique<CardWatch>(device_.found, *device_.nvml);
    if (!watch_->missing().empty()) LogWarning(watch_->missing());
  }
  ready_candidates_.wanted = config.pool;
  ready_references_.wanted = device_.on_gpu() ? kReadyReferences : 0;
}

Awaitable<AsyncSemaphore::Permit> Lane::Acquire() {
  while (health_.ill() && !closed_) {
    const std::shared_ptr<Event> well = well_;  // The next illness has an event of its own.
    co_await well->Wait();
  }
  co_return co_await turn_.Acquire();
}

Awaitable<Result<std::unique_ptr<Host>>> Lane::Make(HostSpec spec) {
  const Gate::Change change = co_await gate_.BeginChange();
  Result<std::unique_ptr<Host>> host = co_await hosts_.Fork(std::move(spec));
  if (!host.ok()) {
    Suspect(host.error().message);
  } else if (health_.Worked()) {
    LogWarning("the lane works again");
    TellHealth();
    well_->Set();
    Refill();
  }
  co_return host;
}

void Lane::Suspect(const std::string& reason) {
  if (health_.Failed(reason) && !closed_) TakeOutOfUse(reason, false);
}

void Lane::Condemn(const std::string& reason, const CardReports& reports) {
  const bool known = condemned_ && Between(*condemned_, reports).Fault().empty();
  condemned_ = reports;
  if (known) return;
  if (health_.Broke(reason) && !closed_) TakeOutOfUse(reason, true);
}

void Lane::TakeOutOfUse(const std::string& reason, bool with_hosts) {
  LogWarning("the lane is taken out of use: " + reason);
  well_ = std::make_shared<Event>(executor_);
  TellHealth();
  ++pending_;
  Spawn(executor_, Recover(with_hosts));
}

void Lane::WatchHealth(std::function<void(const std::string& illness)> told) {
  health_told_ = std::move(told);
  if (health_.ill()) TellHealth();
}

void Lane::TellHealth() const {
  if (health_told_ && !closed_) health_told_(Illness());
}

Awaitable<void> Lane::Recover(bool with_hosts) {
  if (with_hosts) {  // Those that are ready have contexts from before the failure, which may be dead.
    co_await EndReady();
    for (bool more = true; more;) more = co_await references_.EndOldest();
  }
  while (health_.ill() && !closed_) {
    const Duration wait = health_.NextTry();
    auto closing = closing_.Wait();
    co_await WithDeadline(wait, std::move(closing));
    if (closed_) break;
    Result<std::unique_ptr<Host>> host = co_await Make(Spec(HostKind::kCandidate, config_.limits));
    if (host.ok()) ready_candidates_.hosts.push_back(std::move(*host));
  }
  well_->Set();
  Settle();
}

void Lane::Settle() {
  if (--pending_ == 0 && closed_) settled_->Set();
}

namespace {

Awaitable<Json> AskNvml(Card card, const NvmlLibrary* nvml) {
  const Result<CardState> state = StateOf(card, *nvml);
  co_return state.ok() ? state->ToJson() : Json(nullptr);
}

Awaitable<CardReports> AskWatch(CardWatch* watch, Duration patience) { co_return watch->Look(patience); }

}  // namespace

Awaitable<Json> Lane::CardState() {
  if (!device_.on_gpu() || device_.nvml == nullptr) co_return nullptr;
  auto asked = AskNvml(device_.found, device_.nvml);
  co_return co_await boost::asio::co_spawn(nvml_.get_executor(), std::move(asked), boost::asio::use_awaitable);
}

Awaitable<CardReports> Lane::Reports(Duration patience) {
  if (!watch_) co_return CardReports{};
  auto asked = AskWatch(watch_.get(), patience);
  co_return co_await boost::asio::co_spawn(nvml_.get_executor(), std::move(asked), boost::asio::use_awaitable);
}

Awaitable<MemoryLedger::Claim> Lane::Reserve(std::int64_t bytes) {
  bool more = true;
  while (more && !memory_.HasRoom(bytes)) more = co_await references_.EndOldest();
  co_return co_await memory_.Reserve(bytes);
}

Awaitable<MemoryLedger::Claim> Lane::ReserveToOpen(const std::string& key) {
  if (!device_.on_gpu()) co_return MemoryLedger::Claim();
  const auto known = open_bytes_.find(key);
  const std::int64_t bytes = known != open_bytes_.end() ? known->second : kFirstOpenBytes;
  co_return co_await Reserve(bytes);
}

Awaitable<void> Lane::Rest(ReferencePool::Lease reference, std::int64_t kept) {
  reference->kept = memory_.Taken(kept + kContextBytes);
  reference.Release();
  bool more = true;
  while (more && memory_.waiting() > 0) more = co_await references_.EndOldest();
}

int Lane::threads() const { return device_.on_gpu() ? 1 : static_cast<int>(device_.cpus.size()); }

double Lane::gb_per_s() const { return device_.on_gpu() ? PeakMemoryGbPerS(device_.found.name) : kCpuGbPerS; }

HostSpec Lane::Spec(HostKind kind, const LimitsConfig& limits) {
  HostSpec spec;
  spec.kind = kind;
  spec.cpus = device_.cpus;
  spec.threads = threads();
  spec.memory_bytes = std::int64_t{limits.memory_mb} << 20;
  spec.processes = limits.processes;
  spec.tmp_bytes = std::int64_t{limits.tmp_mb} << 20;
  spec.strict = config_.sandbox == SandboxLevel::kStrict;
  spec.card = device_.card;
  spec.gate = &gate_;
  return spec;
}

namespace {

bool SaysOutOfMemory(const std::string& message) {
  constexpr std::string_view kWords[] = {"allocate memory", "MemoryError", "out of memory", "nvmlInit"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return message.find(word) != std::string::npos; });
}

/// What kept a problem from being opened: its own code, whatever it did.
ProblemFault FaultOf(const Problem& problem, const JudgeConfig& config, Host& host, const Answer& answer) {
  const std::string where = problem.path.empty() ? problem.name : problem.path;
  switch (answer.what) {
    case Answer::What::kFailed: {
      ProblemFault fault{Concat(where, ": ", ClaimedText(answer.body, "message")),
                         ClaimedText(answer.body, "traceback")};
      const bool memory = SaysOutOfMemory(fault.message);
      fault.may_be_ours = memory || fault.message.find("CUDA error") != std::string::npos;
      if (memory) {
        fault.message +=
            Concat(" (limits.memory is ", config.limits.memory_mb, " MB; --size NAME=VALUE makes the problem smaller)");
      }
      return fault;
    }
    case Answer::What::kTimeout:
      return {Concat(where, ": it does not finish: ", answer.detail, " (limits.open)"), ""};
    case Answer::What::kEnded:
      return {Concat(where, ": its own code ended the process: ", answer.detail,
                     host.OutOfMemory() ? " (out of memory)" : ""),
              host.output().Text(), true};
    default:
      return {Concat(where, ": its own code wrote to its host's socket"), ""};
  }
}

}  // namespace

Awaitable<Result<Lane::Opened>> Lane::Open(const Problem& problem, const JudgeConfig& config, bool counted) {
  std::string key = problem.Hash() + DumpJson(OpenRequest(problem, config));
  if (ReferencePool::Lease known = references_.Find(key)) co_return Opened{std::move(known), {}};
  MemoryLedger::Claim room;
  if (!counted) room = co_await ReserveToOpen(key);
  co_await references_.MakeRoom();
  KGYM_CO_TRY(std::unique_ptr<Host> host, co_await Take(HostKind::kReference, config.limits));
  KGYM_CO_TRY(const Fd source, SealedMemfd("kgym-problem", problem.source));
  std::vector<int> fds = {source.get()};
  Answer answer = co_await host->Call(OpenRequest(problem, config), std::move(fds), config.limits.open);
  if (answer.what == Answer::What::kDone) {
    if (answer.body.contains("open_bytes")) open_bytes_[key] = answer.body["open_bytes"].get<std::int64_t>();
    ProblemFacts facts = FactsOf(std::move(answer.body));
    co_return Opened{references_.Add(std::move(host), std::move(key), std::move(facts)), {}};
  }
  co_await host->End();
  if (answer.what == Answer::What::kFailed && ClaimedText(answer.body, "kind") == "host")
    co_return Error{"a reference host failed at 'open': " + ClaimedText(answer.body, "message")};
  ProblemFault fault = FaultOf(problem, config, *host, answer);
  co_return Opened{{}, std::move(fault)};
}

Awaitable<Result<Json>> Lane::Examine(const Problem& problem, ExamineScale scale) {
  KGYM_CO_TRY(const std::unique_ptr<Host> host, co_await Make(Spec(HostKind::kReference, config_.limits)));
  KGYM_CO_TRY(const Fd source, SealedMemfd("kgym-problem", problem.source));
  Json request = OpenRequest(problem, config_);
  request["op"] = "examine";
  request["seeds"] = {11, 12, 13};
  request["fit"] = scale == ExamineScale::kFitted;
  request["memory_mb"] = config_.limits.memory_mb;
  // What was found so far must be told before the host is given up.
  const Duration limit = kExamineOpens * config_.limits.open;
  request["seconds"] = kExamineShare * std::chrono::duration<double>(limit).count();
  std::vector<int> fds = {source.get()};
  Answer answer = co_await host->Call(std::move(request), std::move(fds), limit);
  co_await host->End();
  if (answer.what == Answer::What::kDone) co_return std::move(answer.body);
  co_return Error{answer.what == Answer::What::kFailed ? ClaimedText(answer.body, "message") : answer.detail};
}

Awaitable<Result<std::unique_ptr<Host>>> Lane::Take(HostKind kind, const LimitsConfig& limits) {
  const LimitsConfig& pooled = config_.limits;
  const bool same =
      limits.memory_mb == pooled.memory_mb && limits.processes == pooled.processes && limits.tmp_mb == pooled.tmp_mb;
  Ready& pool = ready(kind);
  if (same && !pool.hosts.empty()) {
    std::unique_ptr<Host> host = std::move(pool.hosts.front());
    pool.hosts.pop_front();
    if (device_.on_gpu()) Refill();
    co_return host;
  }
  co_return co_await Make(Spec(kind, limits));
}

Awaitable<void> Lane::Add(HostKind kind) {
  Result<std::unique_ptr<Host>> host = co_await Make(Spec(kind, config_.limits));
  Ready& pool = ready(kind);
  if (!host.ok()) {
    LogWarning(Concat("a ", ToString(kind), " host could not be made ready: ", host.error().message));
  } else {
    pool.hosts.push_back(std::move(*host));
  }
  --pool.coming;
  Settle();
}

void Lane::Refill() {
  for (const HostKind kind : {HostKind::kReference, HostKind::kCandidate}) {
    Ready& pool = ready(kind);
    while (!closed_ && !health_.ill() && static_cast<int>(pool.hosts.size()) + pool.coming < pool.wanted) {
      ++pool.coming;
      ++pending_;
      Spawn(executor_, Add(kind));
    }
  }
}

Awaitable<void> Lane::Close() {
  closed_ = true;
  settled_ = std::make_unique<Event>(executor_);  // Before anything is waited for: a task may end meanwhile.
  closing_.Set();
  std::vector<AsyncSemaphore::Permit> all;  // Then nobody has a place any more.
  for (int i = 0; i < config_.at_once; ++i) all.push_back(co_await turn_.Acquire());
  if (pending_ > 0) co_await settled_->Wait();
  co_await references_.Close();
  co_await EndReady();
}

Awaitable<void> Lane::EndReady() {
  for (Ready* pool : {&ready_candidates_, &ready_references_}) {
    while (!pool->hosts.empty()) {
      std::unique_ptr<Host> host = std::move(pool->hosts.front());
      pool->hosts.pop_front();
      co_await host->End();
    }
  }
}

Result<std::vector<int>> LaneCpus(const std::vector<std::string>& configured) {
  const std::vector<int> usable = UsableCpus();
  std::vector<int> cpus;
  for (const std::string& text : configured) {
    int cpu = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
    if (error != std::errc{} || end != text.data() + text.size() || std::ranges::find(usable, cpu) == usable.end()) {
      return Error{Concat("config: judge.cpus names '", text, "'; a core that this process may use is expected")};
    }
    cpus.push_back(cpu);
  }
  if (cpus.empty()) cpus.assign(usable.size() > 1 ? usable.begin() + 1 : usable.begin(), usable.end());
  return cpus;
}

std::vector<int> OtherCpus(const std::vector<int>& lane) {
  std::vector<int> others;
  const std::vector<int> usable = UsableCpus();
  std::ranges::copy_if(usable, std::back_inserter(others),
                       [&](int cpu) { return std::ranges::find(lane, cpu) == lane.end(); });
  return others.empty() ? usable : others;
}

}  // namespace kgym::judge
