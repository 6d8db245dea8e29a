#include "judge/timing.h"

#include "base/ids.h"
#include "base/text.h"
#include "judge/mismatch.h"

namespace kgym::judge {
namespace {

double Ms(Instant start, Instant end) { return ToMs(end - start); }

Ruling Forged(std::string what) { return {Outcome::kRejectedResultForgery, std::move(what), {{"stage", "timing"}}}; }

/// The times that a host reports for a batch of `calls` calls; an error where they are not that many numbers.
Result<Batch> ReadBatch(const Json& reply, int calls) {
  Batch batch;
  for (const char* key : {"calls_ns", "emits_ns"}) {
    KGYM_TRY(const Json* times, GetArray(reply, key));
    if (static_cast<int>(times->size()) != calls) return Error{Concat(key, " has ", times->size(), " times for ", calls, " calls")};
    for (const Json& time : *times) {
      if (!time.is_number_integer() || time.get<std::int64_t>() < 0) return Error{Concat(key, " holds ", DumpJson(time).substr(0, 40), ", which is no time")};
      const double ms = static_cast<double>(time.get<std::int64_t>()) / 1e6;
      if (key == std::string_view("calls_ns")) batch.calls_ms.push_back(std::max(ms, 1e-6));
      if (key == std::string_view("emits_ns")) batch.emits_ms += ms;
    }
  }
  return batch;
}

Awaitable<Result<Batch>> TimeReference(Session& session, const std::vector<int>& slots) {
  KGYM_CO_TRY_VOID(co_await session.Refill(slots));
  Json request = {{"op", "time"}, {"slots", slots}};
  const Instant start = std::chrono::steady_clock::now();
  KGYM_CO_TRY(const Json reply, co_await session.AskReference(std::move(request), session.config().limits.open));
  const Instant end = std::chrono::steady_clock::now();
  KGYM_CO_TRY(Batch batch, ReadBatch(reply, static_cast<int>(slots.size())));
  batch.judge_ms = Ms(start, end);
  session.CountCode(FromMs(batch.sum()));
  co_return batch;
}

struct Timed {
  Batch batch;
  Json outputs;
  MaybeRuling ruling;
};

Awaitable<Result<Timed>> TimeCandidate(Session& session, const std::vector<Filled>& filled, const std::vector<int>& slots) {
  KGYM_CO_TRY_VOID(co_await session.Refill(slots));
  Json calls = Json::array();
  for (const Filled& one : filled) calls.push_back({{"inputs", one.inputs}, {"output", one.output}});
  Json request = {{"op", "batch"}, {"calls", std::move(calls)}};
  Timed timed;
  const Instant start = std::chrono::steady_clock::now();
  if (Status thawed = co_await session.candidate().Thaw(); !thawed.ok()) co_return thawed.error();
  const Answer answer = co_await session.AskCandidate(std::move(request), {}, session.config().limits.call * static_cast<int>(slots.size()));
  session.WatchIdle(false);
  timed.ruling = session.Rule(answer, "the timed calls");
  if (timed.ruling) co_return timed;
  if (Status frozen = co_await session.candidate().Freeze(); !frozen.ok()) co_return frozen.error();
  Result<Batch> batch = ReadBatch(answer.body, static_cast<int>(slots.size()));
  if (!batch.ok()) {
    timed.ruling = Forged("its host reports times that cannot be: " + batch.error().message);
    co_return timed;
  }
  timed.batch = std::move(*batch);
  timed.batch.judge_ms = Ms(start, answer.received);
  timed.outputs = answer.body.value("outputs", Json::array());
  co_return timed;
}

/// Verifies one timed call, picked now. The candidate is frozen: it cannot mend what it left out.
Awaitable<Result<MaybeRuling>> VerifyOne(Session& session, const std::vector<Filled>& filled, const Json& outputs) {
  const std::size_t picked = RandomU64() % filled.size();
  if (!outputs.is_array() || outputs.size() != filled.size()) {
    co_return Forged("its host reports outputs for other calls than were made");
  }
  KGYM_CO_TRY(Json check, co_await session.Check(filled[picked].slot, outputs[picked]));
  if (!IsMismatch(check)) co_return MaybeRuling{};
  Ruling ruling = Classify({.check = std::move(check)});
  ruling.evidence["stage"] = "timing";
  ruling.reason = "a timed call was answered wrongly: " + ruling.reason;
  if (ruling.outcome == Outcome::kFailNumerical || ruling.outcome == Outcome::kFailNan) ruling.outcome = Outcome::kFailNondeterministic;
  co_return ruling;
}

Awaitable<Result<MaybeRuling>> RunRound(Session& session, int calls, Round& round) {
  std::vector<Session::Set> sets;
  std::vector<int> slots;
  const int first = static_cast<int>(RandomU64() % static_cast<std::uint64_t>(session.slots()));
  for (int i = 0; i < calls; ++i) {
    slots.push_back((first + i) % session.slots());
    sets.push_back({slots.back(), "fresh", -1, {}});
  }
  if (Status frozen = co_await session.candidate().Freeze(); !frozen.ok()) co_return frozen.error();
  KGYM_CO_TRY(const std::vector<Filled> filled, co_await session.Fill(sets));
  const bool reference_first = RandomU64() % 2 == 0;
  if (reference_first) {
    KGYM_CO_TRY(round.reference, co_await TimeReference(session, slots));
  }
  KGYM_CO_TRY(Timed timed, co_await TimeCandidate(session, filled, slots));
  if (timed.ruling) co_return std::move(timed.ruling);
  round.candidate = std::move(timed.batch);
  KGYM_CO_TRY(MaybeRuling wrong, co_await VerifyOne(session, filled, timed.outputs));
  if (wrong) co_return wrong;
  if (!reference_first) {
    KGYM_CO_TRY(round.reference, co_await TimeReference(session, slots));
  }
  co_return MaybeRuling{};
}

}  // namespace

Awaitable<Result<MaybeRuling>> Measure(Session& session, Duration candidate_call, Measurement& measurement) {
  const TimingConfig& config = session.config().timing;
  const int calls = CallsPerBatch(config, session.facts(), candidate_call, session.slots());
  std::vector<Round> rounds;
  const Instant start = std::chrono::steady_clock::now();
  for (int i = 0; rounds.empty() || !Enough(config, rounds, std::chrono::steady_clock::now() - start); ++i) {
    Round round;
    KGYM_CO_TRY(MaybeRuling ruling, co_await RunRound(session, calls, round));
    if (ruling) co_return ruling;
    if (i > 0) rounds.push_back(std::move(round));  // The first warms up both sides.
  }
  measurement = Summarize(config, std::move(rounds));
  measurement.floor_ms = FloorMs(config, session.facts(), measurement.reference.median);
  co_return JudgeTimes(config, measurement);
}

}  // namespace kgym::judge
