#include "judge/ruling.h"

#include <algorithm>

#include "base/text.h"
#include "judge/claims.h"

namespace kgym::judge {
namespace {

struct Word {
  std::string_view kind;
  Outcome outcome;
};

// The words with which a host may say that the loaded code failed. Any other word is not ours.
constexpr Word kWords[] = {
    {"format", Outcome::kFailFormat},   {"compile", Outcome::kFailCompile}, {"load", Outcome::kFailLoad},
    {"runtime", Outcome::kFailRuntime}, {"shape", Outcome::kFailShape},     {"dtype", Outcome::kFailDtype},
    {"oom", Outcome::kFailOom},         {"crash", Outcome::kFailCrash},     {"lazy", Outcome::kRejectedLazyOutput},
};

Ruling Ended(const Answer& answer, std::string_view stage, bool out_of_memory) {
  if (out_of_memory)
    return {Outcome::kFailOom, Concat("killed at its memory limit during ", stage), {{"stage", stage}}};
  return {Outcome::kFailCrash,
          Concat("its process ended during ", stage, ": ", answer.detail),
          {{"stage", stage}, {"end", answer.detail}}};
}

Ruling Failed(const Answer& answer, std::string_view stage) {
  const std::string kind = ClaimedText(answer.body, "kind");
  const std::string message = ClaimedText(answer.body, "message");
  const auto* word = std::ranges::find(kWords, kind, &Word::kind);
  if (word == std::end(kWords))
    return {Outcome::kRejectedResultForgery,
            "its host said what no host says",
            {{"stage", stage}, {"said", message.substr(0, 200)}}};
  Ruling ruling{word->outcome, message, {{"stage", stage}}};
  if (message.empty()) ruling.reason = Concat("it failed during ", stage, ", and its host does not say how");
  if (const std::string trace = ClaimedText(answer.body, "traceback"); !trace.empty())
    ruling.evidence["traceback"] = trace;
  return ruling;
}

}  // namespace

Ruling RuleOnWaking(std::string_view stage) {
  return {Outcome::kRejectedTimingTamper,
          "it ran while it should have stood still: something woke it",
          {{"stage", stage}, {"woken", true}}};
}

Ruling ForgedInTiming(std::string what) {
  return {Outcome::kRejectedResultForgery, std::move(what), {{"stage", "timing"}}};
}

MaybeRuling RuleOnAnswer(const Answer& answer, std::string_view stage, bool out_of_memory) {
  switch (answer.what) {
    case Answer::What::kDone:
      return std::nullopt;
    case Answer::What::kFailed:
      return Failed(answer, stage);
    case Answer::What::kEnded:
      return Ended(answer, stage, out_of_memory);
    case Answer::What::kTimeout:
      return Ruling{
          Outcome::kFailTimeout, Concat("it did not finish ", stage, ": ", answer.detail), {{"stage", stage}}};
    case Answer::What::kForged:
      return Ruling{Outcome::kRejectedResultForgery,
                    Concat("something that is no answer was written to its host's socket during ", stage),
                    {{"stage", stage}, {"packet", ToUtf8(answer.detail)}}};
    case Answer::What::kWoken:
      return RuleOnWaking(stage);
  }
  return std::nullopt;
}

}  // namespace kgym::judge
