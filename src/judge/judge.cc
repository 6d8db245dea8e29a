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
#include "judge/extensions.h"
#include "judge/machine.h"
#include "judge/memory_need.h"
#include "judge/stages.h"
#include "judge/timing.h"

namespace kgym::judge {
namespace {

// A process that failed may know of it before the card's report is there.
constexpr Duration kReportPatience = 20ms;

Json ConfigJson(JudgeConfig config) { return ConfigFields(config).ToJson(); }

MaybeRuling RuleOnFormat(const Submission& submission) {
  std::string fault = FormatFault(submission);
  if (fault.empty()) return std::nullopt;
  return Ruling{Outcome::kFailFormat, std::move(fault), {{"stage", "format"}}};
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
                      .candidate_bytes = task.alone ? 0 : need.candidate,
                      .shown = zygote_->shown()};
  Session session(reference, *candidate, task.config, remains.reference->facts, ground,
                  backends_[task.submission.backend].value("limit_scale", 1.0));
  Stages stages(session, task.problem, task.submission,
                {.lane = *lane_,
                 .baselines = *baselines_,
                 .speed = backends_[task.submission.backend].value("speed", false),
                 .tell = task.stage},
                verdict);
  Result<MaybeRuling> ruling = co_await stages.Run(std::move(artefacts));
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

Awaitable<Result<Json>> Judge::Examine(Problem problem, ExamineScale scale) {
  const auto turn = co_await lane_->Acquire();
  co_return co_await lane_->Examine(problem, scale);
}

}  // namespace kgym::judge
