#include "gym/verdict_facts.h"

#include <gtest/gtest.h>

#include "gym/reward.h"

namespace kgym::gym {
namespace {

using judge::Outcome;

judge::Verdict VerdictOf(Outcome outcome) {
  judge::Verdict verdict;
  verdict.outcome = outcome;
  return verdict;
}

TEST(VerdictFacts, EveryOutcomeIsOfTheKindThatItsNameSays) {
  for (Outcome outcome : judge::AllOutcomes()) {
    EXPECT_TRUE(judge::ToString(outcome).starts_with(ToString(KindOf(outcome)))) << judge::ToString(outcome);
  }
}

TEST(VerdictFacts, OfACorrectSubmission) {
  judge::Verdict verdict = VerdictOf(Outcome::kOk);
  verdict.correctness = {{"sets", 5}, {"passed", 5}};
  verdict.own_work = {{"coverage", 0.75}};
  verdict.speedup = 1.5;
  verdict.speedup_interval = judge::Interval{1.25, 1.75};
  const RewardFacts facts = FactsOf(verdict);
  EXPECT_TRUE(facts.format_ok && facts.compiled && facts.correct);
  EXPECT_EQ(facts.tests_passed, 5);
  EXPECT_EQ(facts.coverage, 0.75);
  EXPECT_EQ(facts.speedup, 1.5);
  EXPECT_EQ(facts.speedup_low, 1.25);
  EXPECT_EQ(facts.speedup_high, 1.75);
}

TEST(VerdictFacts, WhatWasNotMeasuredIsAbsent) {
  judge::Verdict verdict = VerdictOf(Outcome::kOk);
  verdict.correctness = {{"sets", 5}, {"passed", 5}};
  verdict.own_work = {{"coverage", nullptr}};
  EXPECT_FALSE(FactsOf(verdict).speedup);
  EXPECT_FALSE(FactsOf(verdict).coverage);
}

TEST(VerdictFacts, HowFarAFailedSubmissionGot) {
  EXPECT_FALSE(FactsOf(VerdictOf(Outcome::kFailFormat)).format_ok);
  EXPECT_FALSE(FactsOf(VerdictOf(Outcome::kFailCompile)).compiled);
  EXPECT_FALSE(FactsOf(VerdictOf(Outcome::kFailLoad)).compiled);
  EXPECT_TRUE(FactsOf(VerdictOf(Outcome::kFailRuntime)).compiled);
  judge::Verdict wrong = VerdictOf(Outcome::kFailNumerical);
  wrong.correctness = {{"sets", 5}, {"passed", 2}};
  EXPECT_FALSE(FactsOf(wrong).correct);
  EXPECT_EQ(TestsShare(FactsOf(wrong)), 0.4);
}

TEST(VerdictFacts, ARejectionIsNeverCorrectHoweverManySetsPassed) {
  judge::Verdict decoy = VerdictOf(Outcome::kRejectedDecoyKernel);
  EXPECT_FALSE(FactsOf(decoy).compiled);  // Seen in the source, before any build.
  decoy.correctness = {{"sets", 5}, {"passed", 5}};
  decoy.speedup = 9;
  EXPECT_TRUE(FactsOf(decoy).compiled);
  EXPECT_FALSE(FactsOf(decoy).correct);
  EXPECT_FALSE(FactsOf(decoy).speedup);
}

TEST(VerdictFacts, InfraHasNoReward) {
  EXPECT_FALSE(Evaluate(DrKernelReward{}, FactsOf(VerdictOf(Outcome::kInfra))));
  EXPECT_FALSE(Evaluate(KevinReward{}, FactsOf(VerdictOf(Outcome::kInfra))));
  EXPECT_FALSE(Evaluate(StagedReward{}, FactsOf(VerdictOf(Outcome::kInfra))));
}

}  // namespace
}  // namespace kgym::gym
