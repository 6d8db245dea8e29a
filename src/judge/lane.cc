#include "judge/lane.h"

#include <sched.h>

#include <algorithm>
#include <charconv>

#include "base/log.h"
#include "base/text.h"
#include "judge/claims.h"

namespace kgym::judge {
namespace {

constexpr int kInitSeed = 42;  // Of weights, not of inputs: a submission gets the same, as KernelBench does it.

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

Lane::Lane(Executor executor, Zygote& zygote, const JudgeConfig& config, std::vector<int> cpus)
    : executor_(executor), zygote_(zygote), config_(config), cpus_(std::move(cpus)), turn_(executor, 1) {}

HostSpec Lane::Spec(HostKind kind, const LimitsConfig& limits) const {
  HostSpec spec{.kind = kind, .cpus = cpus_, .threads = static_cast<int>(cpus_.size())};
  spec.memory_bytes = std::int64_t{limits.memory_mb} << 20;
  spec.processes = limits.processes;
  spec.tmp_bytes = std::int64_t{limits.tmp_mb} << 20;
  spec.strict = config_.sandbox == SandboxLevel::kStrict;
  return spec;
}

Awaitable<Result<Lane::Opened>> Lane::Open(const Problem& problem, const JudgeConfig& config) {
  const std::string hash = problem.Hash() + DumpJson(OpenRequest(problem, config));
  if (reference_ && hash == open_hash_) co_return Opened{reference_.get(), open_facts_, {}};
  co_await DropReference();
  KGYM_CO_TRY(reference_, co_await zygote_.Fork(Spec(HostKind::kReference, config.limits)));
  KGYM_CO_TRY(const Fd source, SealedMemfd("kgym-problem", problem.source));
  std::vector<int> fds = {source.get()};
  Answer answer = co_await reference_->Call(OpenRequest(problem, config), std::move(fds), config.limits.open);
  const std::string where = problem.path.empty() ? problem.name : problem.path;
  if (answer.what == Answer::What::kDone) {
    open_hash_ = hash;
    open_facts_ = FactsOf(std::move(answer.body));
    co_return Opened{reference_.get(), open_facts_, {}};
  }
  ProblemFault fault;
  switch (answer.what) {
    case Answer::What::kFailed:
      fault = {Concat(where, ": ", ClaimedText(answer.body, "message")), ClaimedText(answer.body, "traceback")};
      if (fault.message.find("allocate memory") != std::string::npos ||
          fault.message.find("MemoryError") != std::string::npos) {
        fault.message +=
            Concat(" (limits.memory is ", config.limits.memory_mb, " MB; --size NAME=VALUE makes the problem smaller)");
      }
      break;
    case Answer::What::kTimeout:
      fault = {Concat(where, ": it does not finish: ", answer.detail, " (limits.open)"), ""};
      break;
    case Answer::What::kEnded:
      fault = {Concat(where, ": its own code ended the process: ", answer.detail,
                      reference_->OutOfMemory() ? " (out of memory)" : ""),
               reference_->output().Text()};
      break;
    default:
      fault = {Concat(where, ": its own code wrote to its host's socket"), ""};
      break;
  }
  co_await DropReference();
  co_return Opened{nullptr, {}, std::move(fault)};
}

Awaitable<Result<Json>> Lane::Examine(const Problem& problem) {
  KGYM_CO_TRY(const std::unique_ptr<Host> host, co_await zygote_.Fork(Spec(HostKind::kReference, config_.limits)));
  KGYM_CO_TRY(const Fd source, SealedMemfd("kgym-problem", problem.source));
  Json request = OpenRequest(problem, config_);
  request["op"] = "examine";
  request["seeds"] = {11, 12, 13};
  std::vector<int> fds = {source.get()};
  Answer answer = co_await host->Call(std::move(request), std::move(fds), config_.limits.open);
  co_await host->End();
  if (answer.what == Answer::What::kDone) co_return std::move(answer.body);
  co_return Error{answer.what == Answer::What::kFailed ? ClaimedText(answer.body, "message") : answer.detail};
}

Awaitable<Result<std::unique_ptr<Host>>> Lane::TakeCandidate(const LimitsConfig& limits) {
  const LimitsConfig& pooled = config_.limits;
  const bool same =
      limits.memory_mb == pooled.memory_mb && limits.processes == pooled.processes && limits.tmp_mb == pooled.tmp_mb;
  if (same && !ready_.empty()) {
    std::unique_ptr<Host> host = std::move(ready_.front());
    ready_.pop_front();
    co_return host;
  }
  co_return co_await zygote_.Fork(Spec(HostKind::kCandidate, limits));
}

Awaitable<void> Lane::Add() {
  Result<std::unique_ptr<Host>> host = co_await zygote_.Fork(Spec(HostKind::kCandidate, config_.limits));
  if (!host.ok()) {
    LogWarning("a candidate host could not be made ready: " + host.error().message);
  } else {
    ready_.push_back(std::move(*host));
  }
  --coming_;
  if (closed_ && coming_ == 0) settled_->Set();
}

void Lane::Refill() {
  while (!closed_ && static_cast<int>(ready_.size()) + coming_ < config_.pool) {
    ++coming_;
    Spawn(executor_, Add());
  }
}

Awaitable<void> Lane::DropReference() {
  open_hash_.clear();
  if (std::unique_ptr<Host> host = std::move(reference_)) co_await host->End();
}

Awaitable<void> Lane::Close() {
  closed_ = true;
  settled_ = std::make_unique<Event>(executor_);
  if (coming_ > 0) co_await settled_->Wait();
  co_await DropReference();
  while (!ready_.empty()) {
    std::unique_ptr<Host> host = std::move(ready_.front());
    ready_.pop_front();
    co_await host->End();
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
