#include "judge/batch_check.h"

#include <utility>

#include "base/ids.h"
#include "judge/claims.h"
#include "judge/mismatch.h"

namespace kgym::judge {
namespace {

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
    KGYM_CO_TRY(const bool right, co_await RightWhenCalledAgain(session, filled[picked]));
    if (right) ruling.outcome = Outcome::kFailNondeterministic;
  }
  co_return ruling;
}

// The share of rounds in which it is the last of the calls that warm up that is verified: who leaves those out makes
// room for what it hides in the others.
constexpr std::uint64_t kWarmUpVerified = 4;

/// The call of a batch that is verified. `again`: whether the calls that warm up, which have one slot, may be: not
/// where each leaves other inputs to the next.
std::size_t Pick(std::size_t calls, std::size_t warmup, bool again) {
  if (again && warmup > 0 && RandomU64() % kWarmUpVerified == 0) return warmup - 1;
  return warmup + RandomU64() % (calls - warmup);
}

}  // namespace

Awaitable<Result<MaybeRuling>> VerifyOne(Session& session, const std::vector<Filled>& filled, const Json& outputs,
                                         std::size_t warmup) {
  const bool same_inputs = ClaimedArray(session.facts().description, "changes_inputs").empty();
  const std::size_t picked = Pick(filled.size(), warmup, same_inputs);
  if (!outputs.is_array() || outputs.size() != filled.size())
    co_return ForgedInTiming("its host reports outputs for other calls than were made");
  KGYM_CO_TRY(Json check, co_await session.Check(filled[picked].slot, outputs[picked]));
  if (!IsMismatch(check)) co_return MaybeRuling{};
  co_return co_await WrongWhenTimed(session, filled, picked, outputs, std::move(check));
}

}  // namespace kgym::judge
