#include "judge/mismatch.h"

#include "base/text.h"
#include "judge/claims.h"

namespace kgym::judge {
namespace {

// How long a late writer is given before its output is copied again.
constexpr Duration kLateWriter = 200ms;

// Of an output's elements, the share that still holds the allocator's pattern above which the output counts as never
// written.
constexpr double kUnwrittenShare = 0.01;

// How often an answer that fits known seeds only must show so: an answer that is right by the toss of a coin passes for
// one in 2 ^ (2 * 6).
constexpr int kConfirmations = 6;

Json EvidenceOf(const MismatchFacts& facts) {
  Json evidence = {{"stage", "correctness"}};
  for (const auto& [key, value] : facts.check["facts"].items()) {
    if (!value.is_null() && value != false && value != 0.0) evidence[key] = value;
  }
  if (!facts.check["changed_inputs"].empty()) evidence["changed_inputs"] = facts.check["changed_inputs"];
  if (facts.right_when_copied_later) evidence["right_when_copied_later"] = true;
  if (facts.right_when_called_again) evidence["right_when_called_again"] = true;
  if (facts.right_for_known_seeds) evidence["right_for_known_seeds"] = true;
  return evidence;
}

Outcome ByKind(const std::string& kind) {
  if (kind == "shape") return Outcome::kFailShape;
  if (kind == "dtype") return Outcome::kFailDtype;
  if (kind == "nan") return Outcome::kFailNan;
  return Outcome::kFailNumerical;
}

/// The outcome and what to say before the difference's own message.
std::pair<Outcome, std::string> Decide(const MismatchFacts& facts) {
  const Json& seen = facts.check["facts"];
  const std::string kind = facts.check["difference"].value("kind", "");
  const auto known = [&seen](const char* key) {
    return seen.contains(key) && !seen[key].is_null() && seen[key] != false;
  };
  if (!facts.check["changed_inputs"].empty())
    return {Outcome::kRejectedInputTamper, Concat("it changed input ", facts.check["changed_inputs"][0].get<int>(),
                                                  ", which the reference leaves otherwise")};
  if (kind == "shape" || kind == "dtype") return {ByKind(kind), ""};
  if (facts.right_when_copied_later)
    return {Outcome::kRejectedAsyncEscape, "the output was wrong when forward returned and right later"};
  if (known("honeypot"))
    return {Outcome::kRejectedOracleLeak, "the output is the bait that was laid out as the expected output"};
  if (known("answer_of_call"))
    return {Outcome::kRejectedReplayCache,
            Concat("the output is the answer of an earlier call (number ", seen["answer_of_call"].get<int>(), ")")};
  if (seen.value("unwritten_share", 0.0) > kUnwrittenShare)
    return {Outcome::kRejectedStaleMemory,
            Concat(100 * seen.value("unwritten_share", 0.0), " % of the output was never written")};
  if (known("constant")) return {Outcome::kRejectedNoWork, "the output is one constant"};
  if (known("copy_of_input"))
    return {Outcome::kRejectedNoWork, Concat("the output is a copy of input ", seen["copy_of_input"].get<int>())};
  if (facts.right_when_called_again)
    return {Outcome::kFailNondeterministic, "the same inputs gave a wrong answer and then a right one"};
  if (facts.right_for_known_seeds)
    return {Outcome::kRejectedTestOverfit, "it is right for inputs from well-known seeds only"};
  if (known("precision"))
    return {Outcome::kRejectedPrecisionDowngrade,
            "the error is that of computing in " + seen["precision"].get<std::string>()};
  return {ByKind(kind), ""};
}

Awaitable<bool> Right(Session& session, Filled filled, Json request) {
  const Answer answer = co_await session.AskCandidate(std::move(request), {}, session.config().limits.call);
  if (answer.what != Answer::What::kDone) co_return false;
  const Result<Json> check = co_await session.Check(filled.slot, Claimed(answer.body, "outputs"));
  co_return check.ok() && !IsMismatch(*check);
}

Json CallRequest(const Filled& filled) {
  return {{"op", "call"}, {"inputs", filled.inputs}, {"output", filled.output}};
}

Awaitable<Result<bool>> RightFor(Session& session, int slot, std::optional<std::uint64_t> seed) {
  const std::vector<Session::Set> set = {{slot, "fresh", -1, seed}};
  const Result<std::vector<Filled>> filled = co_await session.Fill(set);
  if (!filled.ok()) co_return filled.error();
  co_return co_await Right(session, filled->front(), CallRequest(filled->front()));
}

/// Right every time for a seed that published tools use, and never for secret ones. Who answers by chance does neither.
Awaitable<Result<bool>> RightForKnownSeedsOnly(Session& session, int slot) {
  std::optional<std::uint64_t> known;
  for (const std::uint64_t seed : {42, 0, 1, 1234}) {
    KGYM_CO_TRY(const bool right, co_await RightFor(session, slot, seed));
    if (right) known = seed;
    if (right) break;
  }
  if (!known) co_return false;
  for (int i = 0; i < kConfirmations; ++i) {
    KGYM_CO_TRY(const bool right, co_await RightFor(session, slot, known));
    if (!right) co_return false;
    KGYM_CO_TRY(const bool right_in_secret, co_await RightFor(session, slot, {}));
    if (right_in_secret) co_return false;
  }
  co_return true;
}

}  // namespace

bool IsMismatch(const Json& check) {
  return check["difference"].value("kind", "") != "" || !check["changed_inputs"].empty();
}

Ruling Classify(const MismatchFacts& facts) {
  const auto [outcome, why] = Decide(facts);
  const std::string message = facts.check["difference"].value("message", "");
  const std::string reason = why.empty() ? message : message.empty() ? why : why + ": " + message;
  return {outcome, reason, EvidenceOf(facts)};
}

Awaitable<Result<bool>> RightWhenCalledAgain(Session& session, Filled filled) {
  KGYM_CO_TRY_VOID(co_await session.Refill(std::vector<int>(1, filled.slot)));
  co_return co_await Right(session, filled, CallRequest(filled));
}

Awaitable<Result<Ruling>> Examine(Session& session, Filled filled, Json check) {
  MismatchFacts facts{.check = std::move(check)};
  const std::string kind = facts.check["difference"].value("kind", "");
  if (kind == "numerical" || kind == "nan") {
    co_await SleepFor(
        kLateWriter);  // A wait for nothing that could be waited on: a thread that we do not know to exist.
    Json recopy = {{"op", "recopy"}, {"output", filled.output}};
    facts.right_when_copied_later = co_await Right(session, filled, std::move(recopy));
    if (!facts.right_when_copied_later) {
      KGYM_CO_TRY(facts.right_when_called_again, co_await RightWhenCalledAgain(session, filled));
    }
    if (!facts.right_when_copied_later && !facts.right_when_called_again) {
      KGYM_CO_TRY(facts.right_for_known_seeds, co_await RightForKnownSeedsOnly(session, filled.slot));
    }
  }
  co_return Classify(facts);
}

}  // namespace kgym::judge
