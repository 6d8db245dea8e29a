#include "judge/timing.h"

#include <algorithm>
#include <numeric>

#include "base/ids.h"
#include "base/text.h"
#include "judge/batch_check.h"
#include "judge/claims.h"
#include "judge/round_plan.h"
#include "judge/witness.h"

namespace kgym::judge {
namespace {

// A kernel that needs the whole card takes a few microseconds when nothing else runs, and waits for a time slice,
// hundreds of them, when something does.
constexpr double kIdleSpanMs = 0.05;
constexpr int kIdleProbes = 3;
constexpr Duration kIdleLimit =
    5s;  // By then whatever is not ours has been ended by its own limit, or the card is ill.

// A host that is just being made or unmade may touch the card for an instant while others measure: a round that it
// disturbed is not counted. A candidate whose kernels run on disturbs every round, or those for longer.
constexpr int kRanOnAllowed = 2;
constexpr Duration kDisturbance = 500ms;

// Clocks that disagree must do so every time: what a machine does to one measurement it seldom does to three.
constexpr int kMeasurements = 3;

// No machine's doing, in most of a measurement's rounds: as much of each batch that nobody accounts for.
constexpr double kNoDisturbanceMs = 200;

// On an idle card: calls that count, and the length from which a launch is nothing beside them.
constexpr int kLatencyCalls = 3;
constexpr double kLatencyBelowMs = 20;

constexpr double kShortestMs = 1e-6;  // Of what took any time at all.

double Ms(Instant start, Instant end) { return ToMs(end - start); }

Ruling StillRunning() {
  return {Outcome::kRejectedTimingTamper,
          "kernels of it ran on after it had said that its calls were done",
          {{"stage", "timing"}, {"ran_on", true}}};
}

/// `event_cost_ms`: what every call's time has in it that is not its own.
Result<Batch> ReadBatch(const Json& reply, int calls, int warmup, double event_cost_ms) {
  KGYM_TRY(std::vector<double> spans, ReadTimes(reply, "calls_ns", calls));
  for (double& ms : spans) ms = std::max(ms - event_cost_ms, kShortestMs);
  KGYM_TRY(const std::vector<double> emits, ReadTimes(reply, "emits_ns", calls));
  Batch batch;
  batch.warmup_ms.assign(spans.begin(), spans.begin() + warmup);
  batch.calls_ms.assign(spans.begin() + warmup, spans.end());
  batch.emits_ms = std::accumulate(emits.begin(), emits.end(), 0.0);
  if (reply.contains("host_ns")) {
    KGYM_TRY(batch.launch_ms, ReadTimes(reply, "host_ns", calls));
    KGYM_TRY(batch.enqueue_ms, ReadTimes(reply, "enqueue_ns", calls));
    KGYM_TRY(batch.ahead_ms, ReadTimes(reply, "ahead_ns", calls));
    KGYM_TRY(const std::vector<double> drain, ReadTimes(reply, "drain_ns", 1));
    batch.drain_ms = drain[0];
  }
  if (const Result<std::vector<double>> span = ReadTimes(reply, "span_ns", 2); span.ok()) {
    batch.before_ms = (*span)[0];
    batch.behind_ms = (*span)[1];
  }
  return batch;
}

/// Whether nothing runs on the card but what the reference host is asked for: by one probe, or the shortest of a few.
Awaitable<Result<bool>> IsIdle(Session& session, int probes) {
  if (probes > 1) {
    KGYM_CO_TRY(const bool at_once, co_await IsIdle(session, 1));
    if (at_once) co_return true;
  }
  Json request = {{"op", "idle"}, {"repeats", probes}};
  KGYM_CO_TRY(const Json reply, co_await session.AskReference(std::move(request), session.config().limits.open));
  KGYM_CO_TRY(const std::vector<double> spans, ReadTimes(reply, "spans_ns", probes));
  co_return *std::ranges::min_element(spans) < kIdleSpanMs;
}

/// Everybody stands still; what they had launched runs to its end. False if it does not within the limit.
Awaitable<Result<bool>> BecomesIdle(Session& session, Duration limit) {
  const Instant start = std::chrono::steady_clock::now();
  bool idle = false;
  while (!idle && std::chrono::steady_clock::now() - start < limit) {
    KGYM_CO_TRY(idle, co_await IsIdle(session, kIdleProbes));
  }
  co_return idle;
}

/// What both sides' batches have in common, and how long the candidate's may take.
struct BatchPlan {
  int warmup = 0;
  Duration delay = kFirstDelay;
  Duration limit{};
};

/// Writes a side's inputs again where that side would else not meet what was filled in: on a CPU always, for the
/// caches' sake; on a GPU, whose cache is emptied before each call, after a side that may have changed them.
Awaitable<Status> Renew(Session& session, const std::vector<int>& slots, bool touched) {
  if (session.ground().on_gpu && !touched) co_return Ok();
  co_return co_await session.Refill(slots);
}

/// Stops a host that has just answered. Returns the CPU time that it used meanwhile: an answer may come before the
/// work.
Awaitable<Result<Duration>> StopAfterAnswer(Host& host) {
  const std::int64_t answered = host.CpuNs();
  KGYM_CO_TRY_VOID(co_await host.Freeze());
  co_return Duration(host.CpuNs() - answered);
}

/// A batch's place between two moments of the judge's clock, by what its host says of it.
void Place(Instant start, Instant end, Batch& batch) {
  batch.before_ms -= ToMs(start.time_since_epoch());
  batch.behind_ms = ToMs(end.time_since_epoch()) - batch.behind_ms;
}

/// What the judge knows of a batch: until its answer, and what was done after that until the host stood still. On a GPU
/// the CPU's account cannot tell how much was done, only how long the host was kept from doing it.
void Account(const Session& session, double until_answer_ms, Duration after, const CpuUse& start, const CpuUse& end,
             Batch& batch) {
  batch.after_ms = ToMs(after);
  batch.judge_ms = until_answer_ms + batch.after_ms;
  batch.starved_ms = ToMs(Starved(start, end));
  batch.cpu_ms = session.ground().on_gpu ? batch.judge_ms - batch.starved_ms : ToMs(Duration(end.used - start.used));
}

Awaitable<Result<Batch>> TimeReference(Session& session, const std::vector<int>& slots, BatchPlan plan, bool first) {
  KGYM_CO_TRY_VOID(co_await Renew(session, slots, !first));
  Json request = {{"op", "time"}, {"slots", slots}, {"delay_ns", plan.delay.count()}};
  const bool on_gpu = session.ground().on_gpu;
  // On a CPU woken and stopped as the candidate is: that shows in the judge's clock, and in the caches.
  if (!on_gpu) {
    KGYM_CO_TRY_VOID(co_await session.reference().Freeze());
  }
  const CpuUse use_start = session.reference().CpuUsed();
  const Instant start = std::chrono::steady_clock::now();
  KGYM_CO_TRY(const Json reply, co_await session.AskReference(std::move(request), session.config().limits.open));
  const Instant end = std::chrono::steady_clock::now();
  Duration after{};
  if (!on_gpu) {  // Where the idle card tells of work after the answer, not the CPU's account.
    KGYM_CO_TRY(after, co_await StopAfterAnswer(session.reference()));
  }
  const CpuUse use_end = session.reference().CpuUsed();
  KGYM_CO_TRY_VOID(co_await session.reference().Thaw());
  KGYM_CO_TRY(Batch batch,
              ReadBatch(reply, static_cast<int>(slots.size()), plan.warmup, session.ground().event_cost_ms));
  Place(start, end, batch);
  Account(session, Ms(start, end), after, use_start, use_end, batch);
  session.CountCode(FromMs(batch.sum()));
  co_return batch;
}

struct Timed {
  Batch batch;
  bool ran_on = false;
  Json outputs;
  MaybeRuling ruling;
};

Awaitable<Result<Timed>> TimeCandidate(Session& session, const std::vector<Filled>& filled,
                                       const std::vector<int>& slots, BatchPlan plan, bool first) {
  const bool reference_changes = !ClaimedArray(session.facts().description, "changes_inputs").empty();
  KGYM_CO_TRY_VOID(co_await Renew(session, slots, !first && reference_changes));
  Json request = BatchRequest(filled, plan.delay);
  Timed timed;
  const CpuUse use_start = session.candidate().CpuUsed();
  const Answer answer = co_await session.AskCandidate(std::move(request), {}, plan.limit);
  const Instant start = session.candidate().awake();
  timed.ruling = session.Rule(answer, "the timed calls");
  if (timed.ruling) co_return timed;
  KGYM_CO_TRY(const Duration after, co_await StopAfterAnswer(session.candidate()));
  const CpuUse use_end = session.candidate().CpuUsed();
  session.WatchIdle(false);
  Result<Batch> batch =
      ReadBatch(answer.body, static_cast<int>(slots.size()), plan.warmup, session.ground().event_cost_ms);
  if (!batch.ok()) {
    timed.ruling = ForgedInTiming("its host reports times that cannot be: " + batch.error().message);
    co_return timed;
  }
  timed.batch = std::move(*batch);
  Place(start, answer.received, timed.batch);
  Account(session, Ms(start, answer.received), after, use_start, use_end, timed.batch);
  if (session.ground().on_gpu) {
    KGYM_CO_TRY(const bool idle, co_await IsIdle(session, kIdleProbes));
    timed.ran_on = !idle;
  }
  timed.outputs = ClaimedArray(answer.body, "outputs");
  co_return timed;
}

Awaitable<Result<MaybeRuling>> RunRound(Session& session, BatchShape shape, Duration delay, Round& round) {
  const BatchPlan common{shape.warmup, delay, shape.limit};
  RoundPlan plan = PlanRound(session.slots(), shape);
  if (Status frozen = co_await session.candidate().Freeze(); !frozen.ok()) co_return frozen.error();
  KGYM_CO_TRY(std::vector<Filled> made, co_await session.Fill(std::move(plan.sets)));
  const std::vector<Filled> filled = ForEachCall(std::move(made), shape);
  const bool reference_first = RandomU64() % 2 == 0;
  if (reference_first) {
    KGYM_CO_TRY(round.reference, co_await TimeReference(session, plan.slots, common, true));
  }
  KGYM_CO_TRY(Timed timed, co_await TimeCandidate(session, filled, plan.slots, common, !reference_first));
  if (timed.ruling) co_return std::move(timed.ruling);
  round.ran_on = timed.ran_on;
  if (round.ran_on) co_return MaybeRuling{};
  round.candidate = std::move(timed.batch);
  KGYM_CO_TRY(MaybeRuling wrong,
              co_await VerifyOne(session, filled, timed.outputs, static_cast<std::size_t>(shape.warmup)));
  if (wrong) co_return wrong;
  if (!reference_first) {
    KGYM_CO_TRY(round.reference, co_await TimeReference(session, plan.slots, common, false));
  }
  co_return MaybeRuling{};
}

/// Rounds until there are enough. The first that counts warms up both sides, and tells how long launches take.
Awaitable<Result<MaybeRuling>> RunRounds(Session& session, BatchShape shape, std::vector<Round>& rounds) {
  const TimingConfig& config = session.config().timing;
  const Instant start = std::chrono::steady_clock::now();
  Duration delay = kFirstDelay;
  bool warmed = false;
  int ran_on = 0;
  Witness witness(session, config.min_rounds);
  while (rounds.empty() || !Enough(config, rounds, std::chrono::steady_clock::now() - start)) {
    Round round;
    KGYM_CO_TRY(MaybeRuling ruling, co_await RunRound(session, shape, delay, round));
    if (ruling) co_return ruling;
    if (round.ran_on) {
      KGYM_CO_TRY(const bool idle, co_await BecomesIdle(session, kDisturbance));
      if (!idle || ++ran_on > kRanOnAllowed) co_return StillRunning();
      continue;
    }
    KGYM_CO_TRY(ruling, co_await witness.Look(shape, delay, rounds));
    if (ruling) co_return ruling;
    if (warmed) {
      rounds.push_back(std::move(round));
    } else {
      delay = DelayFor(round);
      warmed = true;
    }
  }
  co_return co_await witness.Finish(shape, delay, rounds);
}

/// Milliseconds that the card computed in the observed call, by CUPTI; nothing where that was not recorded.
std::optional<double> KernelsMs(const Json& observed) {
  double us = 0;
  const Json& profile = Claimed(observed, "profile");
  if (!profile.is_object()) return std::nullopt;
  for (const char* owner : {"own", "library", "framework"}) us += ClaimedNumber(Claimed(profile, "us"), owner);
  return us / 1e3;
}

/// The rounds, and what follows from them. Again where the clocks disagree, a few times.
Awaitable<Result<MaybeRuling>> MeasureRounds(Session& session, BatchShape shape, Gate::Exclusive& hold,
                                             Measurement& measurement) {
  const TimingConfig& config = session.config().timing;
  const double gb_per_s = config.peak_gb_per_s > 0 ? config.peak_gb_per_s : session.ground().gb_per_s;
  const Duration waited = measurement.waited;
  const Instant start = std::chrono::steady_clock::now();
  for (int done = 1;; ++done) {
    std::vector<Round> rounds;
    KGYM_CO_TRY(MaybeRuling ruling, co_await RunRounds(session, shape, rounds));
    if (ruling) co_return ruling;
    measurement = Summarize(config, std::move(rounds));
    measurement.waited = waited;
    measurement.gb_per_s = gb_per_s;
    measurement.floor_ms = FloorMs(gb_per_s, session.facts(), measurement.reference.median);
    measurement.observed_ms = KernelsMs(session.observed);
    measurement.measured = done;
    ruling = JudgeTimes(config, measurement);
    if (!ruling || ruling->outcome == Outcome::kRejectedImplausible || done == kMeasurements) co_return ruling;
    if (measurement.clock_excess.ms > kNoDisturbanceMs) co_return ruling;
    if (std::chrono::steady_clock::now() - start > config.longest) co_return ruling;
    co_await hold.Calm();
  }
}

/// How long one call after the other takes where the card waits for it, as a caller finds it who does not queue: on
/// either side a call that warms up, then a few on fresh inputs. Information beside the times; no clock vouches for it.
Awaitable<Result<MaybeRuling>> MeasureLatency(Session& session, Measurement& measurement) {
  std::vector<Session::Set> sets;
  std::vector<int> slots;
  for (int slot = 0; slot < std::min(session.slots(), kLatencyCalls + 1); ++slot) {
    slots.push_back(slot);
    sets.push_back({slot, "fresh", -1, {}});
  }
  const int calls = static_cast<int>(slots.size());
  KGYM_CO_TRY_VOID(co_await session.candidate().Freeze());
  KGYM_CO_TRY(const std::vector<Filled> filled, co_await session.Fill(std::move(sets)));
  Json request = BatchRequest(filled, Duration(0));
  request["op"] = "latency";
  const Answer answer = co_await session.AskCandidate(std::move(request), {}, session.config().limits.call * calls);
  if (MaybeRuling ruling = session.Rule(answer, "calls on an idle card")) co_return ruling;
  Result<std::vector<double>> mine = ReadTimes(answer.body, "calls_ns", calls);
  if (!mine.ok()) co_return ForgedInTiming("its host reports times that cannot be: " + mine.error().message);
  KGYM_CO_TRY_VOID(co_await session.Refill(slots));
  Json reference_request = {{"op", "latency"}, {"slots", slots}};
  KGYM_CO_TRY(const Json reply,
              co_await session.AskReference(std::move(reference_request), session.config().limits.open));
  KGYM_CO_TRY(std::vector<double> theirs, ReadTimes(reply, "calls_ns", calls));
  measurement.candidate_latency_ms = Median(std::vector<double>(mine->begin() + 1, mine->end()));
  measurement.reference_latency_ms = Median(std::vector<double>(theirs.begin() + 1, theirs.end()));
  co_return MaybeRuling{};
}

/// About how long measuring will take, for the gate.
Duration ExpectedLength(const TimingConfig& config, const ProblemFacts& facts, BatchShape shape) {
  const int calls = shape.warmup + shape.calls;
  return (config.min_rounds + 1) * calls * (2 * facts.forward + 2 * facts.generate + kFirstDelay);
}

}  // namespace

Awaitable<Result<MaybeRuling>> Measure(Session& session, Duration candidate_call, Measurement& measurement) {
  const TimingConfig& config = session.config().timing;
  BatchShape shape = ShapeBatch(config, session.facts(), candidate_call, session.slots());
  shape.limit = BatchLimit(session.config().limits, shape, candidate_call);
  const Instant asked = std::chrono::steady_clock::now();
  Gate::Exclusive hold =
      co_await session.ground().gate->Measure(ExpectedLength(config, session.facts(), shape), session.hosts());
  if (session.ground().on_gpu) {
    KGYM_CO_TRY(const bool idle, co_await BecomesIdle(session, kIdleLimit));
    if (!idle) co_return Error{"the card is not idle though every host of its lane stands still"};
  }
  hold.Quiet();
  measurement.waited = std::chrono::steady_clock::now() - asked;
  KGYM_CO_TRY(MaybeRuling ruling, co_await MeasureRounds(session, shape, hold, measurement));
  const double longest = std::max(measurement.candidate.median, measurement.reference.median);
  if (!ruling && session.ground().on_gpu && longest < kLatencyBelowMs) {
    KGYM_CO_TRY(ruling, co_await MeasureLatency(session, measurement));
  }
  hold.Release();
  co_return ruling;
}

}  // namespace kgym::judge
