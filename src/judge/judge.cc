#include "judge/judge.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include "judge/card_peaks.h"
#include "judge/cgroup_folder.h"
#include "judge/claims.h"
#include "judge/correctness.h"
#include "judge/extensions.h"
#include "judge/graph_replay.h"
#include "judge/library_policy.h"
#include "judge/machine.h"
#include "judge/memory_need.h"
#include "judge/own_work.h"
#include "judge/timing.h"

namespace kgym::judge {
namespace {

// The least idle time, and the share of it that a candidate must have used, for it to count as work outside its calls.
constexpr Duration kIdleWatched = 40ms;
constexpr double kIdleBusy = 0.3;

// A speedup whose interval is wider than this, to either side, is worth a word.
constexpr double kWide = 0.2;

// A process that failed may know of it before the card's report is there.
constexpr Duration kReportPatience = 20ms;

Json ConfigJson(JudgeConfig config) { return ConfigFields(config).ToJson(); }

MaybeRuling RuleOnFormat(const Submission& submission) {
  std::string fault = FormatFault(submission);
  if (fault.empty()) return std::nullopt;
  return Ruling{Outcome::kFailFormat, std::move(fault), {{"stage", "format"}}};
}

MaybeRuling RuleOnDaemons(int daemons) {
  if (daemons == 0) return std::nullopt;
  return Ruling{Outcome::kRejectedHarnessTamper,
                Concat("it left ", daemons, " process(es) behind that it had cut loose"),
                {{"stage", "end"}, {"daemons", daemons}}};
}

MaybeRuling RuleOnIdle(Duration wall, Duration cpu) {
  const double busy = ToMs(cpu) / std::max(1.0, ToMs(wall));
  if (wall < kIdleWatched || busy <= kIdleBusy) return std::nullopt;
  return Ruling{Outcome::kRejectedBaselineTamper,
                Concat("it used ", 100 * busy, " % of a core while nothing was asked of it"),
                {{"stage", "end"}, {"idle_busy_share", busy}}};
}

/// Whether this is what a process meets whose card failed under it.
bool MayBeTheCards(const Result<MaybeRuling>& ruling) {
  if (!ruling.ok()) return true;
  return *ruling && ((*ruling)->outcome == Outcome::kFailRuntime || (*ruling)->outcome == Outcome::kFailCrash);
}

/// Whether it may be that others on the card left too little of its memory.
bool MemoryWasShort(const Judged& judged) {
  if (const auto* fault = std::get_if<ProblemFault>(&judged)) return fault->may_be_ours;
  return std::get<Verdict>(judged).outcome == Outcome::kFailOom;
}

double MsSince(Instant start) { return ToMs(std::chrono::steady_clock::now() - start); }

}  // namespace

std::filesystem::path CacheFolder(const std::string& configured) {
  if (!configured.empty()) return configured;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return std::filesystem::path(cache) / "kgym";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr && *home != '\0' ? home : "/tmp") / ".cache/kgym";
}

namespace {

/// Builds keep off the cores that a CPU lane measures on.
BuildGround GroundOfBuilds(const LaneDevice& device) {
  if (device.on_gpu()) return {device.cpus, "cuda", device.found.arch()};
  return {OtherCpus(device.cpus), "cpu", ""};
}

Zygote::Options ZygoteOptions(const JudgeConfig& config, const LaneDevice& device, const Runtime& runtime,
                              const Extensions& extensions) {
  Zygote::Options options;
  options.backends = extensions.backends;
  options.python = FindPython(config.python);
  options.modules = HostModules();
  options.strict = config.sandbox == SandboxLevel::kStrict;
  if (device.on_gpu()) {
    options.device = "cuda";
    options.arch = device.found.arch();
    options.seeded = (CacheFolder(config.cache) / ("triton-" + runtime.hash().substr(0, 16))).string();
    // Else torch asks the driver whether there is a card, and what was started before a fork is of no use after it.
    options.environment = {"PYTORCH_NVML_BASED_CUDA_CHECK=1"};
    options.environment.push_back(Concat("CUDA_DEVICE_MAX_CONNECTIONS=", config.connections));
  } else {
    options.environment = {"TRITON_INTERPRET=1", "CUDA_VISIBLE_DEVICES="};
    options.cpus = OtherCpus(device.cpus);
  }
  return options;
}

}  // namespace

Judge::Judge(Executor executor, JudgeConfig config, Runtime runtime)
    : executor_(executor),
      config_(std::move(config)),
      runtime_(std::move(runtime)),
      build_turn_(executor, static_cast<std::size_t>(config_.build_jobs)) {}

Awaitable<Result<std::unique_ptr<Judge>>> Judge::Start(Executor executor, JudgeConfig config, BuildDepot* depot) {
  if (const std::string fault = config.Fault(); !fault.empty()) co_return Error{"config: " + fault};
  config = config.Completed();
  KGYM_CO_TRY(Extensions extensions, Extensions::Read(config.extensions));
  KGYM_CO_TRY(Runtime runtime, Runtime::Unpack());
  LaneDevice device;
  KGYM_CO_TRY(device.cpus, LaneCpus(config.cpus));
  Json provenance = {{"device", "cpu"}};
  if (config.device != "cpu") {
    KGYM_CO_TRY(Card card, FindCard(config.device));
    provenance = {{"device", "cuda"}, {"card", card.name}, {"driver", card.driver}, {"uuid", card.uuid}};
    device.card = card.uuid;
    if (const Result<CardState> state = StateOf(card); state.ok()) device.used_by_others = state->used_bytes;
    device.found = std::move(card);
    device.nvml = &Nvml();
  }
  std::unique_ptr<Judge> judge(new Judge(executor, std::move(config), std::move(runtime)));
  judge->depot_ = depot;
  KGYM_CO_TRY(judge->zygote_,
              co_await Zygote::Start(executor, judge->runtime_,
                                     ZygoteOptions(judge->config_, device, judge->runtime_, extensions)));
  judge->backends_ = judge->zygote_->backends();
  judge->lane_ = std::make_unique<Lane>(executor, *judge->zygote_, judge->config_, device);

  provenance.update({{"versions", judge->zygote_->versions()},
                     {"runner", judge->runtime_.hash().substr(0, 16)},
                     {"cpu", CpuModel()},
                     {"kernel", KernelRelease()},
                     {"cores", device.cpus},
                     {"cgroups", UsableCgroups()},
                     {"zygote_sandbox", judge->zygote_->sandbox()}});
  judge->provenance_ = std::move(provenance);
  if (!extensions.hash.empty()) judge->provenance_["extensions"] = extensions.hash.substr(0, 16);
  const std::string salt =
      DumpJson(judge->zygote_->versions()) + judge->runtime_.hash() + extensions.hash + CpuModel() + device.found.name;
  const std::filesystem::path cache = CacheFolder(judge->config_.cache);
  const std::string build_salt = BuildSalt(judge->zygote_->versions(), judge->runtime_.hash() + extensions.hash,
                                           GroundOfBuilds(judge->lane_->device()));
  judge->build_mark_ = BuildMark(build_salt);
  judge->builds_ = std::make_unique<BuildCache>(cache / "builds", build_salt);
  judge->baselines_ = std::make_unique<Baselines>(cache / "baselines", salt + DumpJson(Json(device.cpus)));
  auto toolbox = co_await Toolbox::Open(*judge->lane_, judge->config_, std::move(extensions));
  if (!toolbox.ok()) {
    co_await judge->lane_->Close();
    co_return toolbox.error();
  }
  judge->toolbox_ = std::move(*toolbox);
  judge->lane_->Refill();
  co_return judge;
}

Awaitable<void> Judge::Close() { co_await lane_->Close(); }

Awaitable<Judged> Judge::Evaluate(Problem problem, Submission submission, std::optional<JudgeConfig> config,
                                  std::function<void(std::string_view)> stage) {
  JudgeConfig own = config ? *config : config_;
  own.device = config_.device;
  const JudgeConfig completed = own.Completed();
  const bool on_gpu = lane_->device().on_gpu();
  std::string fault;
  for (const bool again : {false, true}) {
    // What memory was short for among others is judged again alone, with all of the card.
    const Task task{problem, submission, completed, stage, again && on_gpu};
    Result<Judged> judged = co_await Guarded(task);
    if (judged.ok() && (again || !on_gpu || !MemoryWasShort(*judged))) co_return std::move(*judged);
    if (judged.ok()) continue;
    fault = judged.error().message;
    LogWarning(Concat(submission.name, ": attempt ", again ? 2 : 1, ": ", fault));
  }
  Verdict verdict = NewVerdict(problem, submission);
  verdict.outcome = Outcome::kInfra;
  verdict.reason = fault;
  verdict.provenance = provenance_;
  co_return std::move(verdict);
}

Awaitable<Result<Judged>> Judge::Guarded(const Task& task) {
  std::string fault;
  try {
    co_return co_await Attempt(task);
  } catch (const Json::exception& error) {
    fault = error.what();  // A host of ours said something that is not in its protocol, and a reader was not prepared
                           // for it.
  }
  co_return Error{"reading a host's answer: " + fault};
}

Awaitable<Result<Judged>> Judge::Attempt(const Task& task) {
  const auto& [problem, submission, config, stage, alone] = task;
  const Instant start = std::chrono::steady_clock::now();
  Verdict verdict = NewVerdict(problem, submission);
  verdict.provenance = provenance_;
  verdict.provenance["at"] = WallTime();
  verdict.provenance["config"] = ConfigJson(task.config);
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
    task.Tell("building");
    const Instant build_start = std::chrono::steady_clock::now();
    KGYM_CO_TRY(Built built, co_await Build(*zygote_, *builds_, depot_, config, GroundOfBuilds(lane_->device()),
                                            submission, verdict.log));
    verdict.stages["build_ms"] = MsSince(build_start);
    if (auto* ruling = std::get_if<Ruling>(&built)) co_return finish(std::move(*ruling));
    artefacts = std::move(std::get<Artefacts>(built));
    verdict.stages["build_cached"] = artefacts.cached;
    if (artefacts.fetched) verdict.stages["build_fetched"] = true;
  }
  const Instant wait_start = std::chrono::steady_clock::now();
  AsyncSemaphore::Permit lane = co_await lane_->Acquire();
  verdict.stages["wait_ms"] = MsSince(wait_start);
  task.Tell("checking");
  Remains remains;
  std::optional<ProblemFault> fault;
  Result<MaybeRuling> ruling = co_await Watched(task, std::move(artefacts), verdict, remains, fault);
  Spawn(executor_, Retire(std::move(remains), ruling.ok(), std::move(lane)));
  if (!ruling.ok() && lane_->device().on_gpu()) lane_->Suspect(ruling.error().message);
  if (!ruling.ok()) co_return ruling.error();
  if (fault) co_return Judged(std::move(*fault));
  co_return finish(std::move(*ruling));
}

Awaitable<void> Judge::Retire(Remains remains, bool sound, AsyncSemaphore::Permit lane) {
  if (remains.candidate) co_await remains.candidate->End();
  if (remains.reference) {
    // The candidate is gone: what it could see is wiped, and the arena kept for the problem's next evaluation.
    Json end = {{"op", "end"}};
    Answer ended;
    if (sound) ended = co_await remains.reference->host->Call(std::move(end), {}, config_.limits.open);
    if (sound && ended.what == Answer::What::kDone) {
      const auto kept = static_cast<std::int64_t>(ClaimedNumber(ended.body, "kept_bytes"));
      remains.memory.Release();
      co_await lane_->Rest(std::move(remains.reference), kept);
    } else {
      co_await lane_->Drop(std::move(remains.reference));
    }
  }
  remains = {};
  lane.Release();
  lane_->Refill();
}

namespace {

Awaitable<Status> Inject(InjectedFault fault, Host& reference) {
  if (fault == InjectedFault::kReferenceDies) co_await reference.End();
  if (fault == InjectedFault::kReferenceStalls) co_return co_await reference.Stall();
  co_return Ok();
}

}  // namespace

Awaitable<Result<MaybeRuling>> Judge::Watched(const Task& task, Artefacts artefacts, Verdict& verdict, Remains& remains,
                                              std::optional<ProblemFault>& fault) {
  const CardReports before = co_await lane_->Reports();
  Result<MaybeRuling> ruling = co_await OnLane(task, std::move(artefacts), verdict, remains, fault);
  const CardReports after = co_await lane_->Reports(MayBeTheCards(ruling) ? kReportPatience : Duration(0));
  const CardErrors errors = Between(before, after);
  errors.AddTo(verdict.provenance);
  std::string failure = errors.Fault();
  if (failure.empty()) co_return ruling;
  lane_->Condemn(failure, after);
  co_return Error{std::move(failure)};  // Whatever was found: nobody is judged by it.
}

Awaitable<Result<MaybeRuling>> Judge::OnLane(const Task& task, Artefacts artefacts, Verdict& verdict, Remains& remains,
                                             std::optional<ProblemFault>& fault) {
  Instant start = std::chrono::steady_clock::now();
  if (task.alone) remains.memory = co_await lane_->ReserveAll();
  KGYM_CO_TRY(Lane::Opened opened, co_await lane_->Open(task.problem, task.config, task.alone));
  verdict.stages["open_ms"] = MsSince(start);
  if (opened.fault) {
    fault = std::move(opened.fault);
    co_return MaybeRuling{};
  }
  remains.reference = std::move(opened.reference);
  Host& reference = *remains.reference->host;
  KGYM_CO_TRY_VOID(co_await Inject(task.config.inject, reference));
  start = std::chrono::steady_clock::now();
  const MemoryNeed need = NeedOf(remains.reference->facts, task.config);
  if (!task.alone) remains.memory = co_await lane_->Reserve(need.sum());
  verdict.stages["memory_ms"] = MsSince(start);
  start = std::chrono::steady_clock::now();
  KGYM_CO_TRY(remains.candidate, co_await lane_->TakeCandidate(task.config.limits));
  Host* candidate = remains.candidate.get();
  verdict.stages["host_ms"] = MsSince(start);
  verdict.provenance["sandbox"] = candidate->sandbox();

  const LaneDevice& device = lane_->device();
  const Ground ground{.gate = &lane_->gate(),
                      .on_gpu = device.on_gpu(),
                      .gb_per_s = lane_->gb_per_s(),
                      .event_cost_ms = device.on_gpu() ? EventCostMs(device.found.name) : 0,
                      .candidate_bytes = task.alone ? 0 : need.candidate};
  Session session(reference, *candidate, task.config, remains.reference->facts, ground,
                  backends_[task.submission.backend].value("limit_scale", 1.0));
  Result<MaybeRuling> ruling = co_await Stages(task, session, std::move(artefacts), verdict);
  verdict.log += candidate->output().Text();
  if (task.config.trace) {
    verdict.stages["asked"] = session.Spent();
    verdict.stages["candidate_forked_ms"] = ToMs(candidate->made.forked);
    verdict.stages["candidate_ready_ms"] = ToMs(candidate->made.ready);
  }
  verdict.stages["code_ms"] = ToMs(session.code());
  verdict.stages["problem_code_ms"] = ToMs(session.problem_code());
  co_return ruling;
}

namespace {

Awaitable<Result<MaybeRuling>> Load(Session& session, const Submission& submission, const Artefacts& artefacts,
                                    std::string& state) {
  KGYM_CO_TRY(const Fd source, SealedMemfd("kgym-submission", submission.source));
  std::vector<int> fds = {source.get()};
  for (const Fd& file : artefacts.files) fds.push_back(file.get());
  const Json& begun = session.begun();
  Json request = {{"op", "load"},
                  {"backend", submission.backend},
                  {"entry", submission.entry},
                  {"artefacts", artefacts.keys},
                  {"pattern", session.pattern()}};
  for (const char* key : {"init", "state", "seed", "stateful", "honeypot"}) request[key] = begun[key];
  const Answer answer = co_await session.AskCandidate(std::move(request), std::move(fds), session.config().limits.load);
  if (MaybeRuling ruling = session.Rule(answer, "loading")) co_return ruling;
  state = ClaimedText(answer.body, "state");
  co_return MaybeRuling{};
}

/// One observed call on a set of its own: right, the submission's own work, and within what it may use.
Awaitable<Result<MaybeRuling>> Observe(Session& session, Json& summary) {
  const std::vector<Session::Set> sets = {{0, "fresh", -1, {}}};
  KGYM_CO_TRY(const std::vector<Filled> filled, co_await session.Fill(sets));
  Json request = {{"op", "observe"}, {"inputs", filled[0].inputs}, {"output", filled[0].output}};
  const Answer answer = co_await session.AskCandidate(std::move(request), {}, session.config().limits.call * 4);
  if (MaybeRuling ruling = session.Rule(answer, "the observed call")) co_return ruling;
  const Json& facts = ClaimedObject(answer.body, "own_work");
  summary = OwnWorkSummary(facts);
  const JudgeConfig& config = session.config();
  if (!config.WorkMatters()) co_return MaybeRuling{};
  session.observed = facts;
  MaybeRuling ruling;
  if (config.require_custom_kernel) ruling = RuleOnOwnWork(facts, session.facts().description["operators"]);
  if (!ruling) ruling = RuleOnLibraries(config.allow_library, facts);
  if (!ruling) ruling = RuleOnCoverage(config.min_coverage, summary["coverage"]);
  co_return ruling;
}

MaybeRuling RuleOnPatches(const Json& changed) {
  for (const auto& [group, outcome] :
       {std::pair{"clock", Outcome::kRejectedTimingTamper}, std::pair{"harness", Outcome::kRejectedHarnessTamper}}) {
    const Json& names = ClaimedArray(changed, group);
    if (names.empty()) continue;
    return Ruling{
        outcome,
        Concat("it replaced ", names[0].is_string() ? ToUtf8(names[0].get<std::string>()) : "?", " in its interpreter"),
        {{"stage", "integrity"}, {"patched", names}}};
  }
  return std::nullopt;
}

Awaitable<Result<MaybeRuling>> Settle(Session& session, Verdict& verdict) {
  Json request = {{"op", "settle"}};
  const Answer answer = co_await session.AskCandidate(std::move(request), {}, session.config().limits.call);
  if (MaybeRuling ruling = session.Rule(answer, "settling")) co_return ruling;
  for (const Json& note : ClaimedArray(answer.body, "notes"))
    verdict.notes.push_back(note.is_string() ? note.get<std::string>() : DumpJson(note));
  co_return RuleOnPatches(ClaimedObject(answer.body, "changed"));
}

/// Whether a failure may be the interpreter's, which some things are known to go wrong in: then it is not held against
/// the submission.
Awaitable<Ruling> Excuse(Session& session, Ruling ruling) {
  const bool may_be = ruling.outcome == Outcome::kFailNumerical || ruling.outcome == Outcome::kFailNan ||
                      ruling.outcome == Outcome::kFailRuntime || ruling.outcome == Outcome::kFailCompile ||
                      ruling.outcome == Outcome::kRejectedPrecisionDowngrade;
  if (!may_be) co_return ruling;
  Json request = {{"op", "inspect"}};
  const Answer answer = co_await session.AskCandidate(std::move(request), {}, session.config().limits.call);
  if (answer.what != Answer::What::kDone) co_return ruling;
  for (const Json& note : ClaimedArray(answer.body, "notes")) {
    if (!note.is_string() || note.get<std::string>().find("-in-interpreter") == std::string::npos) continue;
    ruling.evidence["interpreter"] = note;
    ruling.evidence["would_be"] = std::string(ToString(ruling.outcome));
    ruling.outcome = Outcome::kInfra;
    ruling.reason = "it cannot be judged on this device (" + note.get<std::string>() +
                    "); judge it on a GPU. What was seen: " + ruling.reason;
    break;
  }
  co_return ruling;
}

/// The measurement into the verdict, whatever it was ruled to be.
void Record(const Measurement& measurement, Verdict& verdict) {
  if (measurement.rounds.empty()) return;
  verdict.timing = measurement.ToJson();
  verdict.reference_ms = measurement.reference.median;
  verdict.candidate_ms = measurement.candidate.median;
}

/// What was seen from outside, and the coverage that it leaves.
void RecordSamples(const Session& session, Json& own_work) {
  if (session.samples.looks == 0 || !own_work.is_object()) return;
  own_work["samples"] = session.samples.ToJson();
  own_work["coverage"] = Coverage(own_work["coverage"], session.samples, session.sampled_calls);
  if (Json shares = SampledShares(session.samples, session.sampled_calls); !shares.is_null())
    own_work["libraries"] = std::move(shares);
}

/// torch.compile's time for the reference, kept from an earlier evaluation where that still holds.
Awaitable<Result<double>> CompiledMs(Session& session, const Baselines& baselines, const std::string& problem_hash,
                                     double eager_ms) {
  if (const std::optional<Baseline> known = baselines.Find(problem_hash, eager_ms)) co_return known->compiled_ms;
  Json request = {{"op", "compile"}, {"calls", 30}};
  KGYM_CO_TRY(const Json reply, co_await session.AskReference(std::move(request), session.config().limits.build));
  std::vector<double> compiled, eager;
  for (const Json& ns : reply["calls_ns"]) compiled.push_back(ns.get<double>() / 1e6);
  for (const Json& ns : reply["eager_ns"]) eager.push_back(ns.get<double>() / 1e6);
  const Baseline baseline{Median(compiled), Median(eager)};
  KGYM_CO_TRY_VOID(baselines.Keep(problem_hash, baseline));
  co_return baseline.compiled_ms;
}

/// Clocks that disagree because threads of the candidate work between its calls are that first of all.
MaybeRuling NotOnlyTiming(const Session& session, MaybeRuling ruling) {
  if (ruling->outcome != Outcome::kRejectedTimingTamper && !ruling->evidence.contains("after_ms")) return ruling;
  MaybeRuling busy = RuleOnIdle(session.idle_wall(), session.idle_cpu());
  return busy ? busy : ruling;
}

Awaitable<Result<MaybeRuling>> LastLook(Session& session) {
  KGYM_CO_TRY_VOID(co_await session.candidate().Thaw());
  if (session.candidate().woken()) co_return MaybeRuling(RuleOnWaking("timing"));
  KGYM_CO_TRY(const int daemons, co_await session.candidate().Daemons());
  if (MaybeRuling ruling = RuleOnDaemons(daemons)) co_return ruling;
  Json request = {{"op", "inspect"}};
  const Answer answer = co_await session.AskCandidate(std::move(request), {}, session.config().limits.call);
  if (MaybeRuling ruling = session.Rule(answer, "the last question")) co_return ruling;
  if (MaybeRuling ruling = RuleOnPatches(ClaimedObject(answer.body, "changed"))) co_return ruling;
  co_return RuleOnIdle(session.idle_wall(), session.idle_cpu());
}

}  // namespace

Awaitable<Result<MaybeRuling>> Judge::Stages(const Task& task, Session& session, Artefacts artefacts,
                                             Verdict& verdict) {
  const JudgeConfig& config = task.config;
  Instant start = std::chrono::steady_clock::now();
  const auto stage = [&](const char* name) {
    verdict.stages[name] = MsSince(start);
    start = std::chrono::steady_clock::now();
  };
  KGYM_CO_TRY(MaybeRuling ruling, co_await session.Begin(SlotsFor(config.timing, session.facts())));
  stage("begin_ms");
  for (const Json& sentence : ClaimedArray(session.facts().description, "unsound")) {
    if (sentence.is_string()) verdict.notes.push_back(ToUtf8(sentence.get<std::string>()));
  }
  std::string state;
  KGYM_CO_TRY(ruling, co_await Load(session, task.submission, artefacts, state));
  stage("load_ms");
  if (ruling) co_return ruling;
  if (state == "seeded" || state == "by-name-in-part")
    verdict.notes.push_back("weights: the reference's could not be taken over whole (" + state +
                            "); names or shapes differ");

  CorrectnessReport report;
  KGYM_CO_TRY(ruling, co_await CheckCorrectness(session, report));
  verdict.correctness = report.ToJson(session.facts());
  verdict.correctness["weights"] = state;
  stage("correctness_ms");
  if (ruling) co_return MaybeRuling(co_await Excuse(session, std::move(*ruling)));

  KGYM_CO_TRY(ruling, co_await Observe(session, verdict.own_work));
  stage("own_work_ms");
  if (ruling) co_return ruling;
  KGYM_CO_TRY(ruling, co_await Settle(session, verdict));
  if (ruling) co_return ruling;

  const bool speed = backends_[task.submission.backend].value("speed", false);
  if (!speed)
    verdict.notes.push_back("no speed was measured: backend '" + task.submission.backend +
                            "' is interpreted on this device");
  if (speed && config.timing.enabled) {
    Measurement measurement;
    task.Tell("timing");
    KGYM_CO_TRY(ruling, co_await Measure(session, report.shortest_call, measurement));
    stage("timing_ms");
    RecordSamples(session, verdict.own_work);
    verdict.stages["gate_ms"] = ToMs(measurement.waited);
    Record(measurement, verdict);
    if (verdict.timing.is_object() && lane_->device().on_gpu()) verdict.timing["card"] = co_await lane_->CardState();
    if (ruling) co_return NotOnlyTiming(session, std::move(ruling));
    ruling = RuleOnCoverage(config.min_coverage, verdict.own_work["coverage"]);
    if (ruling) co_return ruling;
    if (const double width = RelativeHalfWidth(measurement.speedup_interval); width > kWide) {
      verdict.notes.push_back(Concat("the speedup is uncertain by ", 100 * width,
                                     " %: measure on a quieter machine, or raise timing.budget and timing.max_rounds"));
    }
    if (measurement.rounds.size() < static_cast<std::size_t>(config.timing.min_rounds)) {
      verdict.notes.push_back(Concat("its times rest on ", measurement.rounds.size(),
                                     " rounds: more would take longer than timing.longest"));
    }
    verdict.speedup = measurement.speedup;
    verdict.speedup_interval = measurement.speedup_interval;
    if (config.timing.compile) {
      KGYM_CO_TRY(verdict.compiled_reference_ms,
                  co_await CompiledMs(session, *baselines_, task.problem.Hash(), measurement.reference.median));
      stage("compile_ms");
    }
  }
  KGYM_CO_TRY(ruling, co_await LastLook(session));
  stage("last_look_ms");
  if (ruling) co_return ruling;
  if (config.timing.graph_replays && verdict.speedup && lane_->device().on_gpu()) {
    const GraphTimes graphs = co_await MeasureGraphs(session, *verdict.reference_ms, *verdict.candidate_ms);
    graphs.AddTo(verdict.timing);
    stage("graphs_ms");
  }
  if (config.min_coverage > 0 && verdict.own_work["coverage"].is_null())
    verdict.notes.push_back("judge.min_coverage was not applied: the share of the time in its own code is not known");
  verdict.outcome = Outcome::kOk;
  verdict.reason = speed && config.timing.enabled ? "correct, its own work, timed" : "correct and its own work";
  co_return MaybeRuling{};
}

Awaitable<Result<Json>> Judge::Examine(Problem problem, ExamineScale scale) {
  const auto turn = co_await lane_->Acquire();
  co_return co_await lane_->Examine(problem, scale);
}

}  // namespace kgym::judge
