#include "judge/witness.h"

#include <algorithm>
#include <utility>

#include "base/ids.h"
#include "judge/batch_check.h"
#include "judge/claims.h"
#include "judge/library_policy.h"
#include "judge/own_work.h"
#include "judge/round_plan.h"
#include "judge/work_samples.h"

namespace kgym::judge {
namespace {

// At how many moments a batch is looked at, and how far these are apart.
constexpr int kLooks = 48;
constexpr Duration kLeastGap = 50us, kMostGap = 50ms;
// Batches, where the first ones say too little.
constexpr int kMostSampled = 8;

struct Uncounted {
  std::vector<Filled> filled;  // What each of its calls was made on.
  Answer answer;
};

/// A batch as the timed ones are, whose times do not count. `watch`: the candidate is told to count operators; else it
/// cannot tell it from the others.
Awaitable<Result<Uncounted>> AskUncounted(Session& session, BatchShape shape, Duration delay, bool watch) {
  RoundPlan plan = PlanRound(session.slots(), shape);
  KGYM_CO_TRY_VOID(co_await session.candidate().Freeze());
  KGYM_CO_TRY(std::vector<Filled> made, co_await session.Fill(std::move(plan.sets)));
  Uncounted asked;
  asked.filled = ForEachCall(std::move(made), shape);
  Json request = BatchRequest(asked.filled, delay);
  if (watch) request["watch"] = true;
  asked.answer = co_await session.AskCandidate(std::move(request), {}, shape.limit);
  co_return asked;
}

/// A batch in which the framework's operators are counted, and on a GPU the kernels recorded.
Awaitable<Result<MaybeRuling>> WatchBatch(Session& session, BatchShape shape, Duration delay) {
  KGYM_CO_TRY(const Uncounted asked, co_await AskUncounted(session, shape, delay, true));
  const Answer& answer = asked.answer;
  if (MaybeRuling ruling = session.Rule(answer, "the timed calls")) co_return ruling;
  const JudgeConfig& config = session.config();
  const Json& profile = ClaimedObject(answer.body, "profile");
  MaybeRuling ruling = RuleOnTwoFaces(session.observed, Claimed(answer.body, "operators"));
  if (!ruling && config.require_custom_kernel) ruling = RuleOnKernelsOfTwoFaces(session.observed, profile);
  if (!ruling) ruling = RuleOnLibraries(config.allow_library, {{"profile", profile}});
  co_return ruling;
}

/// A batch in which the candidate is looked at from outside: whose code does it run? Its answers are compared first: of
/// what is no answer, the code says nothing.
Awaitable<Result<MaybeRuling>> SampleBatch(Session& session, BatchShape shape, const SampledCalls& calls) {
  KGYM_CO_TRY_VOID(co_await session.candidate().Freeze());
  const double batch_ms = calls.call_ms * (shape.warmup + shape.calls);
  const Duration gap = std::clamp<Duration>(FromMs(batch_ms / kLooks), kLeastGap, kMostGap);
  KGYM_CO_TRY_VOID(co_await session.candidate().StartLooking(gap, kLooks));
  KGYM_CO_TRY(const Uncounted asked, co_await AskUncounted(session, shape, kFirstDelay, false));
  if (MaybeRuling ruling = session.Rule(asked.answer, "the timed calls")) co_return ruling;
  KGYM_CO_TRY_VOID(co_await session.candidate().Freeze());
  session.WatchIdle(false);
  KGYM_CO_TRY(const Json report, co_await session.candidate().EndLooking());
  session.samples.Add(report, session.ground().shown);
  session.sampled_calls = calls;
  const JudgeConfig& config = session.config();
  KGYM_CO_TRY(MaybeRuling ruling, co_await VerifyOne(session, asked.filled, ClaimedArray(asked.answer.body, "outputs"),
                                                     static_cast<std::size_t>(shape.warmup)));
  if (ruling) co_return ruling;
  ruling = config.require_custom_kernel ? RuleOnSamples(session.samples, calls) : std::nullopt;
  if (!ruling) ruling = RuleOnSampledLibraries(config.allow_library, session.samples, calls);
  co_return ruling;
}

/// Whether another batch may tell what these do not.
bool Open(const Session& session, const SampledCalls& calls) {
  const JudgeConfig& config = session.config();
  return WorthMore(session.samples, calls) ||
         SampledLibraries(config.allow_library, session.samples, calls) == Sampled::kOpen ||
         (config.min_coverage > 0 && SampledCoverage(session.samples, calls).is_null());
}

}  // namespace

Witness::Witness(Session& session, int rounds)
    : session_(session),
      operators_after_(RandomU64() % static_cast<std::uint64_t>(rounds)),
      samples_after_(1 + RandomU64() % static_cast<std::uint64_t>(rounds - 1)) {}

Awaitable<Result<MaybeRuling>> Witness::Look(BatchShape shape, Duration delay, const std::vector<Round>& rounds) {
  if (session_.observed.is_null()) co_return MaybeRuling{};  // It does not matter whose work it is.
  if (rounds.size() == operators_after_) {
    KGYM_CO_TRY(MaybeRuling ruling, co_await Watch(shape, delay));
    if (ruling) co_return ruling;
  }
  if (rounds.size() == samples_after_) co_return co_await Sample(shape, rounds);
  co_return MaybeRuling{};
}

Awaitable<Result<MaybeRuling>> Witness::Finish(BatchShape shape, Duration delay, const std::vector<Round>& rounds) {
  if (session_.observed.is_null()) co_return MaybeRuling{};
  KGYM_CO_TRY(MaybeRuling ruling, co_await Watch(shape, delay));
  if (ruling) co_return ruling;
  co_return co_await Sample(shape, rounds);
}

Awaitable<Result<MaybeRuling>> Witness::Watch(BatchShape shape, Duration delay) {
  if (std::exchange(watched_, true)) co_return MaybeRuling{};
  co_return co_await WatchBatch(session_, shape, delay);
}

Awaitable<Result<MaybeRuling>> Witness::Sample(BatchShape shape, const std::vector<Round>& rounds) {
  if (std::exchange(sampled_, true) || session_.ground().on_gpu) co_return MaybeRuling{};
  SampledCalls calls = CallsOf(rounds);
  calls.admitted_ms = ClaimedNumber(session_.observed, "elements_ns") / 1e6;
  MaybeRuling ruling;
  for (int batch = 0; batch < kMostSampled && !ruling; ++batch) {
    KGYM_CO_TRY(ruling, co_await SampleBatch(session_, shape, calls));
    if (!Open(session_, calls)) break;
  }
  co_return ruling;
}

}  // namespace kgym::judge
