#include "judge/timing.h"

#include <algorithm>
#include <numeric>

#include "base/ids.h"
#include "base/text.h"
#include "judge/claims.h"
#include "judge/mismatch.h"

namespace kgym::judge {
namespace {

double Ms(Instant start, Instant end) { return ToMs(end - start); }

Ruling Forged(std::string what) { return {Outcome::kRejectedResultForgery, std::move(what), {{"stage", "timing"}}}; }

/// The times that a host reports under `key`, in milliseconds; an error where they are not `calls` times.
Result<std::vector<double>> ReadTimes(const Json& reply, std::string_view key, int calls) {
  KGYM_TRY(const Json* times, GetArray(reply, key));
  if (static_cast<int>(times->size()) != calls)
    return Error{Concat(key, " has ", times->size(), " times for ", calls, " calls")};
  std::vector<double> ms;
  for (const Json& time : *times) {
    if (!time.is_number_integer() || time.get<std::int64_t>() < 0)
      return Error{Concat(key, " holds ", DumpJson(time).substr(0, 40), ", which is no time")};
    ms.push_back(std::max(static_cast<double>(time.get<std::int64_t>()) / 1e6, 1e-6));
  }
  return ms;
}

Result<Batch> ReadBatch(const Json& reply, int calls, int warmup) {
  KGYM_TRY(const std::vector<double> spans, ReadTimes(reply, "calls_ns", calls));
  KGYM_TRY(const std::vector<double> emits, ReadTimes(reply, "emits_ns", calls));
  Batch batch;
  batch.warmup_ms.assign(spans.begin(), spans.begin() + warmup);
  batch.calls_ms.assign(spans.begin() + warmup, spans.end());
  batch.emits_ms = std::accumulate(emits.begin(), emits.end(), 0.0);
  return batch;
}

Awaitable<Result<Batch>> TimeReference(Session& session, const std::vector<int>& slots, int warmup) {
  KGYM_CO_TRY_VOID(co_await session.Refill(slots));
  Json request = {{"op", "time"}, {"slots", slots}};
  const Instant start = std::chrono::steady_clock::now();
  KGYM_CO_TRY(const Json reply, co_await session.AskReference(std::move(request), session.config().limits.open));
  const Instant end = std::chrono::steady_clock::now();
  KGYM_CO_TRY(Batch batch, ReadBatch(reply, static_cast<int>(slots.size()), warmup));
  batch.judge_ms = Ms(start, end);
  session.CountCode(FromMs(batch.sum()));
  co_return batch;
}

struct Timed {
  Batch batch;
  Json outputs;
  MaybeRuling ruling;
};

Awaitable<Result<Timed>> TimeCandidate(Session& session, const std::vector<Filled>& filled,
                                       const std::vector<int>& slots, int warmup) {
  KGYM_CO_TRY_VOID(co_await session.Refill(slots));
  Json calls = Json::array();
  for (const Filled& one : filled) calls.push_back({{"inputs", one.inputs}, {"output", one.output}});
  Json request = {{"op", "batch"}, {"calls", std::move(calls)}};
  Timed timed;
  const std::int64_t cpu_start = session.candidate().CpuNs();
  const Instant start = std::chrono::steady_clock::now();
  if (Status thawed = co_await session.candidate().Thaw(); !thawed.ok()) co_return thawed.error();
  const Answer answer = co_await session.AskCandidate(std::move(request), {},
                                                      session.config().limits.call * static_cast<int>(slots.size()));
  const std::int64_t cpu = session.candidate().CpuNs() - cpu_start;
  session.WatchIdle(false);
  timed.ruling = session.Rule(answer, "the timed calls");
  if (timed.ruling) co_return timed;
  if (Status frozen = co_await session.candidate().Freeze(); !frozen.ok()) co_return frozen.error();
  Result<Batch> batch = ReadBatch(answer.body, static_cast<int>(slots.size()), warmup);
  if (!batch.ok()) {
    timed.ruling = Forged("its host reports times that cannot be: " + batch.error().message);
    co_return timed;
  }
  timed.batch = std::move(*batch);
  timed.batch.judge_ms = Ms(start, answer.received);
  timed.batch.cpu_ms = ToMs(Duration(cpu)) / session.cores();
  timed.outputs = ClaimedArray(answer.body, "outputs");
  co_return timed;
}

/// Whether the wrong answer is, bit for bit, that of another call of the batch, whose inputs were others: then it was
/// computed for that one.
Awaitable<Result<bool>> AnsweredAlike(Session& session, const std::vector<Filled>& filled, std::size_t picked,
                                      const Json& outputs) {
  Json others = Json::array();
  for (std::size_t i = 0; i < filled.size(); ++i) {
    if (filled[i].slot != filled[picked].slot) others.push_back({{"slot", filled[i].slot}, {"outputs", outputs[i]}});
  }
  Json request = {
      {"op", "alike"}, {"slot", filled[picked].slot}, {"outputs", outputs[picked]}, {"others", std::move(others)}};
  KGYM_CO_TRY(const Json reply, co_await session.AskReference(std::move(request), session.config().limits.open));
  co_return !ClaimedArray(reply, "alike").empty();
}

/// A timed call was wrong: an honest mistake is `nondeterministic` if the same call is right now, and what it is if
/// not.
Awaitable<Result<MaybeRuling>> WrongWhenTimed(Session& session, const std::vector<Filled>& filled, std::size_t picked,
                                              const Json& outputs, Json check) {
  Ruling ruling = Classify({.check = std::move(check)});
  ruling.evidence["stage"] = "timing";
  ruling.reason = "a timed call was answered wrongly: " + ruling.reason;
  if (ruling.outcome == Outcome::kFailNumerical || ruling.outcome == Outcome::kFailNan) {
    KGYM_CO_TRY(const bool alike, co_await AnsweredAlike(session, filled, picked, outputs));
    if (alike) {
      ruling.outcome = Outcome::kRejectedReplayCache;
      ruling.evidence["answer_of_another_call"] = true;
      ruling.reason = "a timed call was given another call's answer: " + ruling.reason;
      co_return ruling;
    }
    if (Status thawed = co_await session.candidate().Thaw(); !thawed.ok()) co_return thawed.error();
    KGYM_CO_TRY(const bool right, co_await RightWhenCalledAgain(session, filled[picked]));
    if (right) ruling.outcome = Outcome::kFailNondeterministic;
  }
  co_return ruling;
}

/// Verifies one timed call, picked now. The candidate is frozen: it cannot mend what it left out.
Awaitable<Result<MaybeRuling>> VerifyOne(Session& session, const std::vector<Filled>& filled, const Json& outputs,
                                         std::size_t warmup) {
  const std::size_t picked = warmup + RandomU64() % (filled.size() - warmup);
  if (!outputs.is_array() || outputs.size() != filled.size())
    co_return Forged("its host reports outputs for other calls than were made");
  KGYM_CO_TRY(Json check, co_await session.Check(filled[picked].slot, outputs[picked]));
  if (!IsMismatch(check)) co_return MaybeRuling{};
  co_return co_await WrongWhenTimed(session, filled, picked, outputs, std::move(check));
}

/// A round over the arena's slots: the last slot is for warming up and keeps its inputs, the others get fresh ones,
/// starting anywhere.
struct Plan {
  std::vector<Session::Set> sets;  // Of the timed calls.
  std::vector<int> slots;          // In the order of the calls, warm-up first.
};

Plan PlanRound(int slots, BatchShape shape) {
  const int warm = slots - 1;
  Plan plan;
  plan.slots.assign(static_cast<std::size_t>(shape.warmup), warm);
  const int first = static_cast<int>(RandomU64() % static_cast<std::uint64_t>(warm));
  for (int i = 0; i < shape.calls; ++i) {
    plan.slots.push_back((first + i) % warm);
    plan.sets.push_back({plan.slots.back(), "fresh", -1, {}});
  }
  return plan;
}

Awaitable<Result<MaybeRuling>> RunRound(Session& session, const Filled& warm, BatchShape shape, Round& round) {
  Plan plan = PlanRound(session.slots(), shape);
  if (Status frozen = co_await session.candidate().Freeze(); !frozen.ok()) co_return frozen.error();
  KGYM_CO_TRY(std::vector<Filled> filled, co_await session.Fill(std::move(plan.sets)));
  filled.insert(filled.begin(), static_cast<std::size_t>(shape.warmup), warm);
  const bool reference_first = RandomU64() % 2 == 0;
  if (reference_first) {
    KGYM_CO_TRY(round.reference, co_await TimeReference(session, plan.slots, shape.warmup));
  }
  KGYM_CO_TRY(Timed timed, co_await TimeCandidate(session, filled, plan.slots, shape.warmup));
  if (timed.ruling) co_return std::move(timed.ruling);
  round.candidate = std::move(timed.batch);
  KGYM_CO_TRY(MaybeRuling wrong,
              co_await VerifyOne(session, filled, timed.outputs, static_cast<std::size_t>(shape.warmup)));
  if (wrong) co_return wrong;
  if (!reference_first) {
    KGYM_CO_TRY(round.reference, co_await TimeReference(session, plan.slots, shape.warmup));
  }
  co_return MaybeRuling{};
}

}  // namespace

Awaitable<Result<MaybeRuling>> Measure(Session& session, Duration candidate_call, Measurement& measurement) {
  const TimingConfig& config = session.config().timing;
  const BatchShape shape = ShapeBatch(config, session.facts(), candidate_call, session.slots());
  std::vector<Session::Set> warm_set(1, Session::Set{session.slots() - 1, "fresh", -1, {}});
  KGYM_CO_TRY(const std::vector<Filled> warm, co_await session.Fill(std::move(warm_set)));
  std::vector<Round> rounds;
  const Instant start = std::chrono::steady_clock::now();
  for (int i = 0; rounds.empty() || !Enough(config, rounds, std::chrono::steady_clock::now() - start); ++i) {
    Round round;
    KGYM_CO_TRY(MaybeRuling ruling, co_await RunRound(session, warm[0], shape, round));
    if (ruling) co_return ruling;
    if (i > 0) rounds.push_back(std::move(round));  // The first warms up both sides.
  }
  measurement = Summarize(config, std::move(rounds));
  measurement.floor_ms = FloorMs(config, session.facts(), measurement.reference.median);
  co_return JudgeTimes(config, measurement);
}

}  // namespace kgym::judge
