#include "judge/stages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "judge/claims.h"
#include "judge/correctness.h"
#include "judge/graph_replay.h"
#include "judge/library_policy.h"
#include "judge/own_work.h"

namespace kgym::judge {
namespace {

// The least idle time, and the share of it that a candidate must have used, for it to count as work outside its calls.
constexpr Duration kIdleWatched = 40ms;
constexpr double kIdleBusy = 0.3;

// A speedup whose interval is wider than this, to either side, is worth a word.
constexpr double kWide = 0.2;

// Calls of the reference under torch.compile, and as many without.
constexpr int kCompiledCalls = 30;

Instant Now() { return std::chrono::steady_clock::now(); }

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

/// Clocks that disagree because threads of the candidate work between its calls are that first of all.
MaybeRuling NotOnlyTiming(const Session& session, MaybeRuling ruling) {
  if (ruling->outcome != Outcome::kRejectedTimingTamper && !ruling->evidence.contains("after_ms")) return ruling;
  MaybeRuling busy = RuleOnIdle(session.idle_wall(), session.idle_cpu());
  return busy ? busy : ruling;
}

/// What was seen from outside, and the coverage that it leaves.
void RecordSamples(const Session& session, Json& own_work) {
  if (session.samples.looks == 0 || !own_work.is_object()) return;
  own_work["samples"] = session.samples.ToJson();
  own_work["coverage"] = Coverage(own_work["coverage"], session.samples, session.sampled_calls);
  if (Json shares = SampledShares(session.samples, session.sampled_calls); !shares.is_null())
    own_work["libraries"] = std::move(shares);
}

/// The measurement into the verdict, whatever it was ruled to be.
void Record(const Measurement& measurement, Verdict& verdict) {
  if (measurement.rounds.empty()) return;
  verdict.timing = measurement.ToJson();
  verdict.reference_ms = measurement.reference.median;
  verdict.candidate_ms = measurement.candidate.median;
}

std::vector<double> ListMs(const Json& calls_ns) {
  std::vector<double> ms;
  for (const Json& ns : calls_ns) ms.push_back(ns.get<double>() / 1e6);
  return ms;
}

}  // namespace

Stages::Stages(Session& session, const Problem& problem, const Submission& submission, StageGround ground,
               Verdict& verdict)
    : session_(session),
      config_(session.config()),
      problem_(problem),
      submission_(submission),
      ground_(std::move(ground)),
      verdict_(verdict),
      since_(Now()) {}

Awaitable<Result<MaybeRuling>> Stages::Run(Artefacts artefacts) {
  KGYM_CO_TRY(MaybeRuling ruling, co_await session_.Begin(SlotsFor(config_.timing, session_.facts())));
  Done("begin_ms");
  for (const Json& sentence : ClaimedArray(session_.facts().description, "unsound")) {
    if (sentence.is_string()) verdict_.notes.push_back(ToUtf8(sentence.get<std::string>()));
  }
  KGYM_CO_TRY(ruling, co_await Load(artefacts));
  if (ruling) co_return ruling;
  constexpr std::array kThen = {&Stages::Check, &Stages::Observe,  &Stages::Settle,
                                &Stages::Time,  &Stages::LookLast, &Stages::MeasureReplays};
  for (const auto stage : kThen) {
    KGYM_CO_TRY(ruling, co_await (this->*stage)());
    if (ruling) co_return ruling;
  }
  if (config_.min_coverage > 0 && verdict_.own_work["coverage"].is_null())
    verdict_.notes.push_back("judge.min_coverage was not applied: the share of the time in its own code is not known");
  verdict_.outcome = Outcome::kOk;
  verdict_.reason =
      ground_.speed && config_.timing.enabled ? "correct, its own work, timed" : "correct and its own work";
  co_return MaybeRuling{};
}

/// The time since the stage before goes into the verdict under this name.
void Stages::Done(const char* stage) {
  const Instant now = Now();
  verdict_.stages[stage] = ToMs(now - since_);
  since_ = now;
}

Awaitable<Result<MaybeRuling>> Stages::Load(const Artefacts& artefacts) {
  KGYM_CO_TRY(const Fd source, SealedMemfd("kgym-submission", submission_.source));
  std::vector<int> fds = {source.get()};
  for (const Fd& file : artefacts.files) fds.push_back(file.get());
  const Json& begun = session_.begun();
  Json request = {{"op", "load"},
                  {"backend", submission_.backend},
                  {"entry", submission_.entry},
                  {"artefacts", artefacts.keys},
                  {"pattern", session_.pattern()}};
  for (const char* key : {"init", "state", "seed", "stateful", "honeypot"}) request[key] = begun[key];
  const Answer answer = co_await session_.AskCandidate(std::move(request), std::move(fds), config_.limits.load);
  Done("load_ms");
  if (MaybeRuling ruling = session_.Rule(answer, "loading")) co_return ruling;
  state_ = ClaimedText(answer.body, "state");
  if (state_ == "seeded" || state_ == "by-name-in-part")
    verdict_.notes.push_back("weights: the reference's could not be taken over whole (" + state_ +
                             "); names or shapes differ");
  co_return MaybeRuling{};
}

Awaitable<Result<MaybeRuling>> Stages::Check() {
  CorrectnessReport report;
  KGYM_CO_TRY(MaybeRuling ruling, co_await CheckCorrectness(session_, report));
  shortest_call_ = report.shortest_call;
  verdict_.correctness = report.ToJson(session_.facts());
  verdict_.correctness["weights"] = state_;
  Done("correctness_ms");
  if (ruling) co_return MaybeRuling(co_await Excuse(std::move(*ruling)));
  co_return MaybeRuling{};
}

/// Whether a failure may be the interpreter's, which some things are known to go wrong in: then it is not held against
/// the submission.
Awaitable<Ruling> Stages::Excuse(Ruling ruling) {
  const bool may_be = ruling.outcome == Outcome::kFailNumerical || ruling.outcome == Outcome::kFailNan ||
                      ruling.outcome == Outcome::kFailRuntime || ruling.outcome == Outcome::kFailCompile ||
                      ruling.outcome == Outcome::kRejectedPrecisionDowngrade;
  if (!may_be) co_return ruling;
  Json request = {{"op", "inspect"}};
  const Answer answer = co_await session_.AskCandidate(std::move(request), {}, config_.limits.call);
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

/// One observed call on a set of its own: the submission's own work, and within what it may use.
Awaitable<Result<MaybeRuling>> Stages::Observe() {
  const std::vector<Session::Set> sets = {{0, "fresh", -1, {}}};
  KGYM_CO_TRY(const std::vector<Filled> filled, co_await session_.Fill(sets));
  Json request = {{"op", "observe"}, {"inputs", filled[0].inputs}, {"output", filled[0].output}};
  const Answer answer = co_await session_.AskCandidate(std::move(request), {}, config_.limits.call * 4);
  Done("own_work_ms");
  if (MaybeRuling ruling = session_.Rule(answer, "the observed call")) co_return ruling;
  const Json& facts = ClaimedObject(answer.body, "own_work");
  verdict_.own_work = OwnWorkSummary(facts);
  if (!config_.WorkMatters()) co_return MaybeRuling{};
  session_.observed = facts;
  MaybeRuling ruling;
  if (config_.require_custom_kernel) ruling = RuleOnOwnWork(facts, session_.facts().description["operators"]);
  if (!ruling) ruling = RuleOnLibraries(config_.allow_library, facts);
  if (!ruling) ruling = RuleOnCoverage(config_.min_coverage, verdict_.own_work["coverage"]);
  co_return ruling;
}

Awaitable<Result<MaybeRuling>> Stages::Settle() {
  Json request = {{"op", "settle"}};
  const Answer answer = co_await session_.AskCandidate(std::move(request), {}, config_.limits.call);
  if (MaybeRuling ruling = session_.Rule(answer, "settling")) co_return ruling;
  for (const Json& note : ClaimedArray(answer.body, "notes"))
    verdict_.notes.push_back(note.is_string() ? note.get<std::string>() : DumpJson(note));
  co_return RuleOnPatches(ClaimedObject(answer.body, "changed"));
}

Awaitable<Result<MaybeRuling>> Stages::Time() {
  if (!ground_.speed)
    verdict_.notes.push_back("no speed was measured: backend '" + submission_.backend +
                             "' is interpreted on this device");
  if (!ground_.speed || !config_.timing.enabled) co_return MaybeRuling{};
  if (ground_.tell) ground_.tell("timing");
  Measurement measurement;
  KGYM_CO_TRY(MaybeRuling ruling, co_await Measure(session_, shortest_call_, measurement));
  Done("timing_ms");
  RecordSamples(session_, verdict_.own_work);
  verdict_.stages["gate_ms"] = ToMs(measurement.waited);
  Record(measurement, verdict_);
  if (verdict_.timing.is_object() && session_.ground().on_gpu)
    verdict_.timing["card"] = co_await ground_.lane.CardState();
  if (ruling) co_return NotOnlyTiming(session_, std::move(ruling));
  ruling = RuleOnCoverage(config_.min_coverage, verdict_.own_work["coverage"]);
  if (ruling) co_return ruling;
  NoteTimes(measurement);
  verdict_.speedup = measurement.speedup;
  verdict_.speedup_interval = measurement.speedup_interval;
  co_return co_await MeasureCompiled();
}

/// What a reader of the times should know.
void Stages::NoteTimes(const Measurement& measurement) {
  if (const double width = RelativeHalfWidth(measurement.speedup_interval); width > kWide)
    verdict_.notes.push_back(Concat("the speedup is uncertain by ", 100 * width,
                                    " %: measure on a quieter machine, or raise timing.budget and timing.max_rounds"));
  if (measurement.rounds.size() < static_cast<std::size_t>(config_.timing.min_rounds))
    verdict_.notes.push_back(
        Concat("its times rest on ", measurement.rounds.size(), " rounds: more would take longer than timing.longest"));
}

Awaitable<Result<MaybeRuling>> Stages::MeasureCompiled() {
  if (!config_.timing.compile) co_return MaybeRuling{};
  KGYM_CO_TRY(verdict_.compiled_reference_ms, co_await CompiledMs(*verdict_.reference_ms));
  Done("compile_ms");
  co_return MaybeRuling{};
}

/// torch.compile's time for the reference, kept from an earlier evaluation where that still holds.
Awaitable<Result<double>> Stages::CompiledMs(double eager_ms) {
  const std::string hash = problem_.Hash();
  if (const std::optional<Baseline> known = ground_.baselines.Find(hash, eager_ms)) co_return known->compiled_ms;
  Json request = {{"op", "compile"}, {"calls", kCompiledCalls}};
  KGYM_CO_TRY(const Json reply, co_await session_.AskReference(std::move(request), config_.limits.build));
  const Baseline baseline{Median(ListMs(reply["calls_ns"])), Median(ListMs(reply["eager_ns"]))};
  KGYM_CO_TRY_VOID(ground_.baselines.Keep(hash, baseline));
  co_return baseline.compiled_ms;
}

Awaitable<Result<MaybeRuling>> Stages::LookLast() {
  KGYM_CO_TRY_VOID(co_await session_.candidate().Thaw());
  if (session_.candidate().woken()) co_return MaybeRuling(RuleOnWaking("timing"));
  KGYM_CO_TRY(const int daemons, co_await session_.candidate().Daemons());
  if (MaybeRuling ruling = RuleOnDaemons(daemons)) co_return ruling;
  Json request = {{"op", "inspect"}};
  const Answer answer = co_await session_.AskCandidate(std::move(request), {}, config_.limits.call);
  Done("last_look_ms");
  if (MaybeRuling ruling = session_.Rule(answer, "the last question")) co_return ruling;
  if (MaybeRuling ruling = RuleOnPatches(ClaimedObject(answer.body, "changed"))) co_return ruling;
  co_return RuleOnIdle(session_.idle_wall(), session_.idle_cpu());
}

/// Calls as CUDA graphs, which is information beside the times.
Awaitable<Result<MaybeRuling>> Stages::MeasureReplays() {
  if (!config_.timing.graph_replays || !verdict_.speedup || !session_.ground().on_gpu) co_return MaybeRuling{};
  const GraphTimes graphs = co_await MeasureGraphs(session_, *verdict_.reference_ms, *verdict_.candidate_ms);
  graphs.AddTo(verdict_.timing);
  Done("graphs_ms");
  co_return MaybeRuling{};
}

}  // namespace kgym::judge
