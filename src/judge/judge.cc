#include "judge/judge.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include "judge/cgroup_folder.h"
#include "judge/correctness.h"
#include "judge/own_work.h"
#include "judge/timing.h"

namespace kgym::judge {
namespace {

// The least idle time, and the share of it that a candidate must have used, for it to count as work outside its calls.
constexpr Duration kIdleWatched = 40ms;
constexpr double kIdleBusy = 0.3;

std::string CpuModel() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return std::string(Trim(line.substr(line.find(':') + 1)));
  }
  return "unknown";
}

std::string Kernel() {
  utsname name{};
  return ::uname(&name) == 0 ? std::string(name.release) : "unknown";
}

MaybeRuling RuleOnFormat(const Submission& submission) {
  std::string fault = FormatFault(submission);
  if (fault.empty()) return std::nullopt;
  return Ruling{Outcome::kFailFormat, std::move(fault), {{"stage", "format"}}};
}

MaybeRuling RuleOnDaemons(int daemons) {
  if (daemons == 0) return std::nullopt;
  return Ruling{Outcome::kRejectedHarnessTamper, Concat("it left ", daemons, " process(es) behind that it had cut loose"), {{"stage", "end"}, {"daemons", daemons}}};
}

MaybeRuling RuleOnIdle(Duration wall, Duration cpu) {
  const double busy = ToMs(cpu) / std::max(1.0, ToMs(wall));
  if (wall < kIdleWatched || busy <= kIdleBusy) return std::nullopt;
  return Ruling{Outcome::kRejectedBaselineTamper, Concat("it used ", 100 * busy, " % of a core while nothing was asked of it"), {{"stage", "end"}, {"idle_busy_share", busy}}};
}

double MsSince(Instant start) { return ToMs(std::chrono::steady_clock::now() - start); }

}  // namespace

std::filesystem::path CacheFolder(const std::string& configured) {
  if (!configured.empty()) return configured;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') return std::filesystem::path(cache) / "kgym";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr && *home != '\0' ? home : "/tmp") / ".cache/kgym";
}

Judge::Judge(Executor executor, JudgeConfig config, Runtime runtime)
    : executor_(executor), config_(std::move(config)), runtime_(std::move(runtime)), build_turn_(executor, static_cast<std::size_t>(config_.build_jobs)) {}

Awaitable<Result<std::unique_ptr<Judge>>> Judge::Start(Executor executor, JudgeConfig config) {
  KGYM_CO_TRY(Runtime runtime, Runtime::Unpack());
  KGYM_CO_TRY(const std::vector<int> cpus, LaneCpus(config.cpus));
  std::unique_ptr<Judge> judge(new Judge(executor, std::move(config), std::move(runtime)));
  Zygote::Options options;
  options.python = FindPython(judge->config_.python);
  options.modules = {"torch", "numpy", "triton", "triton.language", "torch.utils.cpp_extension", "torch.utils._python_dispatch"};
  options.environment = {"TRITON_INTERPRET=1", "CUDA_VISIBLE_DEVICES="};
  options.strict = judge->config_.sandbox == SandboxLevel::kStrict;
  KGYM_CO_TRY(judge->zygote_, co_await Zygote::Start(executor, judge->runtime_, options));
  judge->backends_ = judge->zygote_->backends();
  judge->lane_ = std::make_unique<Lane>(executor, *judge->zygote_, judge->config_, cpus);

  judge->provenance_ = {{"versions", judge->zygote_->versions()}, {"runner", judge->runtime_.hash().substr(0, 16)}, {"device", "cpu"}, {"cpu", CpuModel()},
                        {"kernel", Kernel()}, {"cores", cpus}, {"cgroups", UsableCgroups()}, {"zygote_sandbox", judge->zygote_->sandbox()}};
  const std::string salt = DumpJson(judge->zygote_->versions()) + judge->runtime_.hash() + CpuModel();
  const std::filesystem::path cache = CacheFolder(judge->config_.cache);
  judge->builds_ = std::make_unique<BuildCache>(cache / "builds", salt);
  judge->baselines_ = std::make_unique<Baselines>(cache / "baselines", salt + DumpJson(Json(cpus)));
  judge->lane_->Refill();
  co_return judge;
}

Awaitable<void> Judge::Close() { co_await lane_->Close(); }

Awaitable<Judged> Judge::Evaluate(Problem problem, Submission submission) {
  std::string fault;
  for (int attempt = 0; attempt < 2; ++attempt) {
    Result<Judged> judged = co_await Attempt(problem, submission);
    if (judged.ok()) co_return std::move(*judged);
    fault = judged.error().message;
    LogWarning(Concat(submission.name, ": attempt ", attempt + 1, ": ", fault));
    const auto turn = co_await lane_->Acquire();
    co_await lane_->DropReference();
  }
  Verdict verdict = NewVerdict(problem, submission);
  verdict.outcome = Outcome::kInfra;
  verdict.reason = fault;
  verdict.provenance = provenance_;
  co_return std::move(verdict);
}

Awaitable<Result<Judged>> Judge::Attempt(const Problem& problem, const Submission& submission) {
  const Instant start = std::chrono::steady_clock::now();
  Verdict verdict = NewVerdict(problem, submission);
  verdict.provenance = provenance_;
  verdict.provenance["at"] = WallTime();
  const auto finish = [&](MaybeRuling ruling) {
    if (ruling) {
      verdict.outcome = ruling->outcome;
      verdict.reason = std::move(ruling->reason);
      verdict.evidence = std::move(ruling->evidence);
    }
    verdict.stages["total_ms"] = MsSince(start);
    return Judged(std::move(verdict));
  };
  if (MaybeRuling ruling = RuleOnFormat(submission)) co_return finish(std::move(ruling));

  Artefacts artefacts;
  if (backends_[submission.backend].value("needs_build", false)) {
    const auto turn = co_await build_turn_.Acquire();
    const Instant build_start = std::chrono::steady_clock::now();
    KGYM_CO_TRY(Built built, co_await Build(*zygote_, *builds_, config_, OtherCpus(lane_->cpus()), submission, verdict.log));
    verdict.stages["build_ms"] = MsSince(build_start);
    if (auto* ruling = std::get_if<Ruling>(&built)) co_return finish(std::move(*ruling));
    artefacts = std::move(std::get<Artefacts>(built));
    verdict.stages["build_cached"] = artefacts.cached;
  }
  const Instant wait_start = std::chrono::steady_clock::now();
  const auto lane = co_await lane_->Acquire();
  verdict.stages["wait_ms"] = MsSince(wait_start);
  std::optional<ProblemFault> fault;
  KGYM_CO_TRY(MaybeRuling ruling, co_await OnLane(problem, submission, std::move(artefacts), verdict, fault));
  if (fault) co_return Judged(std::move(*fault));
  lane_->Refill();
  co_return finish(std::move(ruling));
}

Awaitable<Status> Judge::Inject(Host& reference) {
  if (config_.inject == InjectedFault::kReferenceDies) co_await reference.End();
  if (config_.inject == InjectedFault::kReferenceStalls) co_return co_await reference.Freeze();
  co_return Ok();
}

Awaitable<Result<MaybeRuling>> Judge::OnLane(const Problem& problem, const Submission& submission, Artefacts artefacts, Verdict& verdict, std::optional<ProblemFault>& fault) {
  Instant start = std::chrono::steady_clock::now();
  KGYM_CO_TRY(Lane::Opened opened, co_await lane_->Open(problem));
  verdict.stages["open_ms"] = MsSince(start);
  if (opened.fault) {
    fault = std::move(opened.fault);
    co_return MaybeRuling{};
  }
  KGYM_CO_TRY_VOID(co_await Inject(*opened.host));
  start = std::chrono::steady_clock::now();
  KGYM_CO_TRY(const std::unique_ptr<Host> candidate, co_await lane_->TakeCandidate());
  verdict.stages["host_ms"] = MsSince(start);
  verdict.provenance["sandbox"] = candidate->sandbox();

  Session session(*opened.host, *candidate, config_, std::move(opened.facts), backends_[submission.backend].value("limit_scale", 1.0));
  Result<MaybeRuling> ruling = co_await Stages(session, submission, std::move(artefacts), verdict);
  verdict.log += candidate->output().Text();
  verdict.stages["code_ms"] = ToMs(session.code());
  start = std::chrono::steady_clock::now();
  co_await candidate->End();
  Json end = {{"op", "end"}};
  if (ruling.ok()) KGYM_CO_TRY_VOID(co_await session.AskReference(std::move(end), config_.limits.open));
  verdict.stages["end_ms"] = MsSince(start);
  co_return ruling;
}

namespace {

Awaitable<Result<MaybeRuling>> Load(Session& session, const Submission& submission, const Artefacts& artefacts, std::string& state) {
  KGYM_CO_TRY(const Fd source, SealedMemfd("kgym-submission", submission.source));
  std::vector<int> fds = {source.get()};
  for (const Fd& file : artefacts.files) fds.push_back(file.get());
  const Json& begun = session.begun();
  Json request = {{"op", "load"}, {"backend", submission.backend}, {"entry", submission.entry}, {"artefacts", artefacts.keys}, {"pattern", session.pattern()}};
  for (const char* key : {"init", "state", "seed", "stateful", "honeypot"}) request[key] = begun[key];
  const Answer answer = co_await session.AskCandidate(std::move(request), std::move(fds), session.config().limits.load);
  if (MaybeRuling ruling = session.Rule(answer, "loading")) co_return ruling;
  state = answer.body.value("state", "");
  co_return MaybeRuling{};
}

/// One observed call on a set of its own: right, and the submission's own work.
Awaitable<Result<MaybeRuling>> Observe(Session& session, bool required, Json& summary) {
  const std::vector<Session::Set> sets = {{0, "fresh", -1, {}}};
  KGYM_CO_TRY(const std::vector<Filled> filled, co_await session.Fill(sets));
  Json request = {{"op", "observe"}, {"inputs", filled[0].inputs}, {"output", filled[0].output}};
  const Answer answer = co_await session.AskCandidate(std::move(request), {}, session.config().limits.call * 4);
  if (MaybeRuling ruling = session.Rule(answer, "the observed call")) co_return ruling;
  const Json facts = answer.body.value("own_work", Json::object());
  summary = OwnWorkSummary(facts);
  if (!required) co_return MaybeRuling{};
  co_return RuleOnOwnWork(facts, session.facts().description["operators"]);
}

MaybeRuling RuleOnPatches(const Json& changed) {
  if (!changed.is_object()) return std::nullopt;
  for (const auto& [group, outcome] : {std::pair{"clock", Outcome::kRejectedTimingTamper}, std::pair{"harness", Outcome::kRejectedHarnessTamper}}) {
    if (!changed.contains(group) || changed[group].empty()) continue;
    return Ruling{outcome, Concat("it replaced ", changed[group][0].is_string() ? changed[group][0].get<std::string>() : "?", " in its interpreter"), {{"stage", "integrity"}, {"patched", changed[group]}}};
  }
  return std::nullopt;
}

Awaitable<Result<MaybeRuling>> Settle(Session& session, Verdict& verdict) {
  Json request = {{"op", "settle"}};
  const Answer answer = co_await session.AskCandidate(std::move(request), {}, session.config().limits.call);
  if (MaybeRuling ruling = session.Rule(answer, "settling")) co_return ruling;
  for (const Json& note : answer.body.value("notes", Json::array())) verdict.notes.push_back(note.is_string() ? note.get<std::string>() : DumpJson(note));
  co_return RuleOnPatches(answer.body.value("changed", Json::object()));
}

}  // namespace

Awaitable<Result<MaybeRuling>> Judge::Stages(Session& session, const Submission& submission, Artefacts artefacts, Verdict& verdict) {
  Instant start = std::chrono::steady_clock::now();
  const auto stage = [&](const char* name) {
    verdict.stages[name] = MsSince(start);
    start = std::chrono::steady_clock::now();
  };
  KGYM_CO_TRY(MaybeRuling ruling, co_await session.Begin(config_.timing.max_calls));
  stage("begin_ms");
  std::string state;
  KGYM_CO_TRY(ruling, co_await Load(session, submission, artefacts, state));
  stage("load_ms");
  if (ruling) co_return ruling;
  if (state == "seeded" || state == "by-name-in-part") verdict.notes.push_back("weights: the reference's could not be taken over whole (" + state + "); names or shapes differ");

  CorrectnessReport report;
  KGYM_CO_TRY(ruling, co_await CheckCorrectness(session, report));
  verdict.correctness = report.ToJson(session.facts());
  verdict.correctness["weights"] = state;
  stage("correctness_ms");
  if (ruling) co_return ruling;

  KGYM_CO_TRY(ruling, co_await Observe(session, config_.require_custom_kernel, verdict.own_work));
  stage("own_work_ms");
  if (ruling) co_return ruling;
  KGYM_CO_TRY(ruling, co_await Settle(session, verdict));
  if (ruling) co_return ruling;

  const bool speed = backends_[submission.backend].value("speed", false);
  if (!speed) verdict.notes.push_back("no speed was measured: backend '" + submission.backend + "' is interpreted on this device");
  if (speed && config_.timing.enabled) {
    Measurement measurement;
    KGYM_CO_TRY(ruling, co_await Measure(session, report.shortest_call, measurement));
    stage("timing_ms");
    if (!measurement.rounds.empty()) {
      verdict.timing = measurement.ToJson();
      verdict.reference_ms = measurement.reference.median;
      verdict.candidate_ms = measurement.candidate.median;
    }
    if (ruling) co_return ruling;
    verdict.speedup = measurement.speedup;
    verdict.speedup_interval = measurement.speedup_interval;
  }
  KGYM_CO_TRY(ruling, co_await LastLook(session));
  stage("last_look_ms");
  if (ruling) co_return ruling;
  verdict.outcome = Outcome::kOk;
  verdict.reason = speed && config_.timing.enabled ? "correct, its own work, timed" : "correct and its own work";
  co_return MaybeRuling{};
}

Awaitable<Result<MaybeRuling>> Judge::LastLook(Session& session) {
  KGYM_CO_TRY_VOID(co_await session.candidate().Thaw());
  KGYM_CO_TRY(const int daemons, co_await session.candidate().Daemons());
  if (MaybeRuling ruling = RuleOnDaemons(daemons)) co_return ruling;
  Json request = {{"op", "inspect"}};
  const Answer answer = co_await session.AskCandidate(std::move(request), {}, config_.limits.call);
  if (MaybeRuling ruling = session.Rule(answer, "the last question")) co_return ruling;
  if (MaybeRuling ruling = RuleOnPatches(answer.body.value("changed", Json::object()))) co_return ruling;
  co_return RuleOnIdle(session.idle_wall(), session.idle_cpu());
}

Awaitable<Result<Json>> Judge::Examine(Problem problem) {
  const auto turn = co_await lane_->Acquire();
  co_return co_await lane_->Examine(problem);
}

}  // namespace kgym::judge
