#include "judge/correctness.h"

#include <algorithm>

#include "judge/claims.h"
#include "judge/mismatch.h"

namespace kgym::judge {

Json CorrectnessReport::ToJson(const ProblemFacts& facts) const {
  Json json = {{"sets", sets},
               {"passed", passed},
               {"deterministic", deterministic},
               {"strides_differ", strides_differ},
               {"tolerances", facts.description["tolerances"]}};
  for (const char* key : {"max_abs", "max_rel", "rms_rel", "share_out", "first", "message", "output"}) {
    if (worst.contains(key)) json[key] = worst[key];
  }
  return json;
}

std::vector<Session::Set> PlanSets(int count, int slots) {
  const int second = slots > 1 ? 1 : 0;
  // Who remembers an answer by a sample of the inputs meets, right after a set, one that differs from it a little.
  const Session::Set kinds[] = {{0, "fresh", -1, {}},
                                {0, "near", 0, {}},
                                {second, "fresh", -1, {}},
                                {second, "nudged", second, {}},
                                {0, "spiked", -1, {}}};
  std::vector<Session::Set> sets;
  for (int i = 0; i < count; ++i) sets.push_back(kinds[static_cast<std::size_t>(i) % std::size(kinds)]);
  const int last = sets.back().slot;
  sets.push_back({last == 0 ? second : 0, "same", last, {}});
  return sets;
}

Awaitable<Result<MaybeRuling>> CheckCorrectness(Session& session, CorrectnessReport& report) {
  for (const Session::Set& set : PlanSets(session.config().correctness.sets, session.slots())) {
    const std::vector<Session::Set> one = {set};
    KGYM_CO_TRY(const std::vector<Filled> filled, co_await session.Fill(one));
    Json request = {{"op", "call"}, {"inputs", filled[0].inputs}, {"output", filled[0].output}};
    const Instant start = std::chrono::steady_clock::now();
    const Answer answer = co_await session.AskCandidate(std::move(request), {}, session.config().limits.call);
    ++report.sets;
    if (MaybeRuling ruling = session.Rule(answer, "forward")) co_return ruling;
    KGYM_CO_TRY(Json check, co_await session.Check(set.slot, Claimed(answer.body, "outputs")));
    const Json& difference = check["difference"];
    if (ClaimedNumber(difference, "max_rel") >= ClaimedNumber(report.worst, "max_rel")) report.worst = difference;
    if (IsMismatch(check)) {
      report.worst = difference;
      KGYM_CO_TRY(Ruling ruling, co_await Examine(session, filled[0], std::move(check)));
      co_return MaybeRuling(std::move(ruling));
    }
    const Duration call = answer.received - start;
    report.shortest_call = report.passed == 0 ? call : std::min(report.shortest_call, call);
    ++report.passed;
    report.strides_differ |= check.value("strides_differ", false);
    if (check["repeat_of"].is_boolean()) report.deterministic = check["repeat_of"].get<bool>();
  }
  co_return MaybeRuling{};
}

}  // namespace kgym::judge
