#include "judge/ruling.h"

#include <gtest/gtest.h>

namespace kgym::judge {
namespace {

Answer Of(Answer::What what, Json body = Json::object(), std::string detail = "") {
  Answer answer;
  answer.what = what;
  answer.body = std::move(body);
  answer.detail = std::move(detail);
  return answer;
}

TEST(RuleOnAnswer, DoneGoesOn) { EXPECT_FALSE(RuleOnAnswer(Of(Answer::What::kDone), "loading", false)); }

TEST(RuleOnAnswer, WordsOfAHostBecomeOutcomes) {
  for (const auto& [kind, outcome] : {std::pair{"compile", Outcome::kFailCompile}, std::pair{"oom", Outcome::kFailOom},
                                      std::pair{"lazy", Outcome::kRejectedLazyOutput}}) {
    const MaybeRuling ruling =
        RuleOnAnswer(Of(Answer::What::kFailed, {{"kind", kind}, {"message", "m"}}), "forward", false);
    ASSERT_TRUE(ruling);
    EXPECT_EQ(ruling->outcome, outcome);
    EXPECT_EQ(ruling->reason, "m");
  }
}

TEST(RuleOnAnswer, AHostCannotSayOkInfraOrAnyOtherWord) {
  for (const char* kind : {"ok", "infra", "", "numerical", "rejected:no-work"}) {
    EXPECT_EQ(RuleOnAnswer(Of(Answer::What::kFailed, {{"kind", kind}}), "forward", false)->outcome,
              Outcome::kRejectedResultForgery)
        << kind;
  }
}

TEST(RuleOnAnswer, TheEndOfAHostIsACrashUnlessTheKernelTookItsMemory) {
  EXPECT_EQ(RuleOnAnswer(Of(Answer::What::kEnded, {}, "signal 11"), "forward", false)->outcome, Outcome::kFailCrash);
  EXPECT_EQ(RuleOnAnswer(Of(Answer::What::kEnded, {}, "signal 9"), "forward", true)->outcome, Outcome::kFailOom);
}

TEST(RuleOnAnswer, SilenceAndForgeryAreTold) {
  EXPECT_EQ(RuleOnAnswer(Of(Answer::What::kTimeout), "forward", false)->outcome, Outcome::kFailTimeout);
  EXPECT_EQ(RuleOnAnswer(Of(Answer::What::kForged, {}, "\xff{"), "forward", false)->outcome,
            Outcome::kRejectedResultForgery);
}

TEST(RuleOnAnswer, AHostThatWasWokenTampersWithTime) {
  const MaybeRuling ruling = RuleOnAnswer(Of(Answer::What::kWoken, {}, "signal 9 woken"), "a call", false);
  ASSERT_TRUE(ruling);
  EXPECT_EQ(ruling->outcome, Outcome::kRejectedTimingTamper);
  EXPECT_TRUE(ruling->evidence["woken"].get<bool>());
}

TEST(Ruling, AFailureThatNobodyDescribesHasAReasonStill) {
  Answer answer;
  answer.what = Answer::What::kFailed;
  answer.body = {{"ok", false}, {"kind", "runtime"}, {"message", Json::array({1})}};
  const MaybeRuling ruling = RuleOnAnswer(answer, "forward", false);
  ASSERT_TRUE(ruling);
  EXPECT_EQ(ruling->outcome, Outcome::kFailRuntime);
  EXPECT_EQ(ruling->reason, "it failed during forward, and its host does not say how");
}

}  // namespace
}  // namespace kgym::judge
