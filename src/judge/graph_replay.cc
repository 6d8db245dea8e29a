#include "judge/graph_replay.h"

#include <algorithm>

#include "base/text.h"
#include "judge/claims.h"
#include "judge/statistics.h"
#include "judge/timing.h"

namespace kgym::judge {
namespace {

constexpr double kBelowMs = 0.02;

// Pairs of spans, and the most replays that one has more than the other; of calls that take longer, fewer.
constexpr int kPairs = 5, kMostMore = 20, kMostFew = 4;
constexpr double kMoreMs = 2;

// Behind which the launching of a span's replays hides.
constexpr Duration kDelay = 3ms;

constexpr Duration kExpected = 100ms;  // Both sides together.
constexpr double kShortestMs = 1e-6;
constexpr std::size_t kLongestNote = 300;

void Note(GraphTimes& times, std::string_view side, std::string_view text) {
  if (!times.note.empty()) times.note += "; ";
  times.note += Concat(side, ": ", ToUtf8(std::string(text.substr(0, kLongestNote))));
}

/// A side's answer into its time, or into the note.
std::optional<double> Take(const Json& reply, const ReplayPlan& plan, std::string_view side, GraphTimes& times) {
  if (reply.contains("note")) {
    Note(times, side, ClaimedText(reply, "note"));
    return std::nullopt;
  }
  const Result<Replayed> replayed = ReadReplays(reply, plan);
  if (!replayed.ok()) {
    Note(times, side, "its host reports times that cannot be: " + replayed.error().message);
    return std::nullopt;
  }
  if (replayed->dry) Note(times, side, "launching its replays could not be hidden, and is in their time");
  return replayed->ms;
}

Json Request(const ReplayPlan& plan) {
  return {{"op", "graph"}, {"replays", plan.counts()}, {"delay_ns", kDelay.count()}};
}

/// Asks the reference host while the candidate stands still, then the candidate. An error says why neither could be.
Awaitable<Status> AskBoth(Session& session, double reference_ms, double candidate_ms, GraphTimes& times) {
  KGYM_CO_TRY_VOID(co_await session.candidate().Freeze());
  const std::vector<Session::Set> sets = {{0, "fresh", -1, {}}};
  KGYM_CO_TRY(const std::vector<Filled> filled, co_await session.Fill(sets));
  ReplayPlan plan = PlanReplays(reference_ms);
  Json request = Request(plan);
  request["slot"] = 0;
  KGYM_CO_TRY(const Json reply, co_await session.AskReference(std::move(request), session.config().limits.open));
  times.reference_ms = Take(reply, plan, "reference", times);

  const std::vector<int> slots = {0};
  KGYM_CO_TRY_VOID(co_await session.Refill(slots));  // A call may change its inputs.
  plan = PlanReplays(candidate_ms);
  request = Request(plan);
  request["inputs"] = filled[0].inputs;
  const Answer answer = co_await session.AskCandidate(std::move(request), {}, session.config().limits.call * 2);
  if (answer.what == Answer::What::kDone) {
    times.candidate_ms = Take(answer.body, plan, "candidate", times);
  } else {
    Note(times, "candidate", "it did not answer: " + answer.detail + ClaimedText(answer.body, "message"));
  }
  co_return Ok();
}

}  // namespace

void GraphTimes::AddTo(Json& timing) const {
  timing["reference_graph_ms"] = reference_ms ? Json(*reference_ms) : Json(nullptr);
  timing["candidate_graph_ms"] = candidate_ms ? Json(*candidate_ms) : Json(nullptr);
  if (!note.empty()) timing["graph_note"] = note;
}

std::vector<int> ReplayPlan::counts() const {
  std::vector<int> counts;
  for (int i = 0; i < kPairs; ++i) counts.insert(counts.end(), {few, many});
  return counts;
}

ReplayPlan PlanReplays(double call_ms) {
  const double wanted = kMoreMs / std::max(call_ms, kShortestMs);
  const int more = static_cast<int>(std::clamp(wanted, 1.0, double{kMostMore}));
  const int few = std::min(more, kMostFew);
  return {few, few + more};
}

Result<Replayed> ReadReplays(const Json& reply, const ReplayPlan& plan) {
  const int count = static_cast<int>(plan.counts().size());
  std::vector<double> few, many, launch, ahead;
  KGYM_TRY(const std::vector<double> spans, ReadTimes(reply, "calls_ns", count));
  KGYM_TRY(const std::vector<double> launches, ReadTimes(reply, "host_ns", count));
  KGYM_TRY(const std::vector<double> aheads, ReadTimes(reply, "ahead_ns", count));
  for (std::size_t i = 0; i < spans.size(); i += 2) {
    few.push_back(spans[i]);
    many.push_back(spans[i + 1]);
    launch.push_back(launches[i + 1]);
    ahead.push_back(aheads[i + 1]);
  }
  const double ms = (Median(many) - Median(few)) / (plan.many - plan.few);
  return Replayed{std::max(ms, kShortestMs), Median(launch) > Median(ahead)};
}

Awaitable<GraphTimes> MeasureGraphs(Session& session, double reference_ms, double candidate_ms) {
  GraphTimes times;
  if (candidate_ms >= kBelowMs) {
    times.note =
        Concat("a call takes ", candidate_ms, " ms; only calls below ", kBelowMs, " ms are replayed as graphs");
    co_return times;
  }
  Gate::Exclusive hold = co_await session.ground().gate->Measure(kExpected, session.hosts());
  hold.Quiet();
  const Status asked = co_await AskBoth(session, reference_ms, candidate_ms, times);
  if (!asked.ok()) Note(times, "both", asked.error().message);
  co_return times;
}

}  // namespace kgym::judge
