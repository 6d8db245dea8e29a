#include <gtest/gtest.h>

#include "judge/timing.h"

namespace kgym::judge {
namespace {

TimingConfig OfCpu() { return JudgeConfig{}.Completed().timing; }

ProblemFacts Facts(Duration forward, Duration generate, std::int64_t bytes = 1 << 20) {
  ProblemFacts facts;
  facts.forward = forward;
  facts.generate = generate;
  facts.input_bytes = bytes;
  return facts;
}

/// Rounds in which a call of either side takes so long, and the judge's clock sees `hidden` more of the candidate's
/// batch than its host reports.
std::vector<Round> Rounds(int count, double reference, double candidate, double hidden = 0) {
  Round round;
  round.reference.calls_ms.assign(5, reference);
  round.reference.judge_ms = round.reference.cpu_ms = 5 * reference + 0.3;
  round.reference.emits_ms = 0.2;
  round.candidate.calls_ms.assign(5, candidate);
  round.candidate.judge_ms = 5 * candidate + 0.3 + hidden;
  round.candidate.cpu_ms = round.candidate.judge_ms;
  round.candidate.emits_ms = 0.2;
  return std::vector<Round>(static_cast<std::size_t>(count), round);
}

TEST(ShapeBatch, FillsTheBatchWithTheFasterSide) {
  const TimingConfig config = OfCpu();
  EXPECT_EQ(ShapeBatch(config, Facts(1ms, 1us), 800us, 65).calls, 5);
  EXPECT_EQ(ShapeBatch(config, Facts(800us, 1us), 1ms, 65).calls, 5);
}

TEST(ShapeBatch, IsBoundedByInputsSlotsAndConfig) {
  const TimingConfig config = OfCpu();
  EXPECT_EQ(ShapeBatch(config, Facts(10us, 2ms), 10us, 65).calls, 4) << "8 ms of making inputs";
  EXPECT_EQ(ShapeBatch(config, Facts(1us, 1us), 1us, 65).calls, config.max_calls);
  EXPECT_EQ(ShapeBatch(config, Facts(1us, 1us), 1us, 7).calls, 6) << "a slot is kept for warming up";
  EXPECT_EQ(ShapeBatch(config, Facts(10ms, 1s), 10ms, 65).calls, 3) << "no fewer than a median needs";
  EXPECT_EQ(ShapeBatch(config, Facts(1s, 1s), 1s, 65).calls, 1) << "but for long calls, of which each is one";
  EXPECT_EQ(ShapeBatch(config, Facts(1s, 1s), 1s, 65).warmup, 0);
}

TEST(SlotsFor, HoldEveryBatchThatMayCome) {
  const TimingConfig config = OfCpu();
  for (const Duration generate : std::initializer_list<Duration>{1us, 100us, 1ms, 100ms}) {
    const ProblemFacts facts = Facts(1ms, generate);
    const int slots = SlotsFor(config, facts);
    EXPECT_EQ(ShapeBatch(config, facts, 1ns, slots).calls, ShapeBatch(config, facts, 1ns, 1000).calls)
        << ToMs(generate);
  }
}

TEST(BatchLimit, IsTenTimesTheCallsAndOneLongCall) {
  LimitsConfig limits;
  limits.call = 10s;
  const BatchShape shape{.warmup = 2, .calls = 8};
  EXPECT_EQ(BatchLimit(limits, shape, 1ms), 10s + 100ms);
  EXPECT_EQ(BatchLimit(limits, shape, 5s), 100s) << "no more than every call's own limit";
  EXPECT_EQ(BatchLimit(limits, {.warmup = 0, .calls = 1}, 5s), 10s);
}

TEST(Enough, FewerRoundsDoWhereTheyTakeTooLongButForThree) {
  const TimingConfig config = OfCpu();
  EXPECT_FALSE(Enough(config, Rounds(2, 1, 1), config.longest * 10));
  EXPECT_FALSE(Enough(config, Rounds(3, 1, 1), config.longest / 2));
  EXPECT_TRUE(Enough(config, Rounds(3, 1, 1), config.longest));
}

TEST(Enough, WantsTheFewestRoundsWhateverTheirAgreement) {
  const TimingConfig config = OfCpu();
  EXPECT_FALSE(Enough(config, Rounds(config.min_rounds - 1, 1, 1), 1s));
  EXPECT_TRUE(Enough(config, Rounds(config.min_rounds, 1, 1), 0ns)) << "all rounds agree";
}

TEST(Enough, GoesOnWhileRoundsDisagreeUntilTheBudgetOrTheMost) {
  TimingConfig config;
  std::vector<Round> rounds = Rounds(config.min_rounds, 1, 1);
  rounds.push_back(Rounds(1, 2, 1)[0]);
  rounds.push_back(Rounds(1, 1, 2)[0]);
  EXPECT_FALSE(Enough(config, rounds, 0ns));
  EXPECT_TRUE(Enough(config, rounds, config.budget));
  config.max_rounds = static_cast<int>(rounds.size());
  EXPECT_TRUE(Enough(config, rounds, 0ns));
}

TEST(Summarize, SpeedupIsTheMedianOfRatiosAndLiesInItsInterval) {
  const Measurement m = Summarize(OfCpu(), Rounds(9, 3, 1.5));
  EXPECT_DOUBLE_EQ(m.speedup, 2);
  EXPECT_LT(m.speedup_interval.low, 2);
  EXPECT_GT(m.speedup_interval.high, 2);
  EXPECT_EQ(m.candidate.trials, 45);
}

TEST(JudgeTimes, HonestClocksPass) { EXPECT_FALSE(JudgeTimes(OfCpu(), Summarize(OfCpu(), Rounds(9, 1, 0.5)))); }

TEST(JudgeTimes, ReportedTimesThatLeaveOutAPartAreRejected) {
  // The host says 0.1 ms a call; the judge's clock saw 1 ms a call.
  const MaybeRuling ruling = JudgeTimes(OfCpu(), Summarize(OfCpu(), Rounds(9, 1, 0.1, 4.5)));
  ASSERT_TRUE(ruling);
  EXPECT_EQ(ruling->outcome, Outcome::kRejectedTimingTamper);
}

TEST(JudgeTimes, WorkAfterTheAnswerIsAnEscape) {
  std::vector<Round> rounds = Rounds(9, 1, 0.5);
  for (Round& round : rounds) round.candidate.after_ms = 0.4;
  const MaybeRuling ruling = JudgeTimes(OfCpu(), Summarize(OfCpu(), rounds));
  ASSERT_TRUE(ruling);
  EXPECT_EQ(ruling->outcome, Outcome::kRejectedAsyncEscape);
  for (Round& round : rounds) round.reference.after_ms = 0.35;
  EXPECT_FALSE(JudgeTimes(OfCpu(), Summarize(OfCpu(), rounds))) << "so long it takes either side to stop";
}

TEST(Summarize, TheIntervalClaimsNoMoreThanTheJudgesClockVouchesFor) {
  // Half of a short batch is not accounted for: too little to be rejected, enough to doubt the speedup.
  const Measurement m = Summarize(OfCpu(), Rounds(9, 0.02, 0.01, 0.05));
  EXPECT_FALSE(JudgeTimes(OfCpu(), m));
  EXPECT_NEAR(m.speedup, 2, 1e-9);
  EXPECT_NEAR(m.vouched_speedup, 1, 1e-6);
  EXPECT_LE(m.speedup_interval.low, m.vouched_speedup);
}

TEST(JudgeTimes, OneDisturbedRoundIsNotHeldAgainstIt) {
  std::vector<Round> rounds = Rounds(9, 1, 0.5);
  rounds[3].candidate.judge_ms += 500;
  EXPECT_FALSE(JudgeTimes(OfCpu(), Summarize(OfCpu(), std::move(rounds))));
}

TEST(JudgeTimes, AMachineWithOtherWorkInEveryRoundRejectsNobody) {
  std::vector<Round> rounds = Rounds(9, 1, 0.5);
  for (Round& round : rounds) round.candidate.judge_ms += 20;  // It waited for a core; the kernel saw no work of its.
  EXPECT_FALSE(JudgeTimes(OfCpu(), Summarize(OfCpu(), std::move(rounds))));
}

TEST(JudgeTimes, AReferenceThatWaitedInItsCallsCostsABatchAsMuchAsEver) {
  // Its calls seem to take twice the CPU time that it had; the candidate's few have the same 0.8 ms beside them.
  std::vector<Round> rounds = Rounds(9, 40, 0.03, 0.5);
  for (Round& round : rounds) {
    round.reference.judge_ms = 5 * 40 + 0.8;
    round.reference.cpu_ms = 100;
  }
  EXPECT_FALSE(JudgeTimes(OfCpu(), Summarize(OfCpu(), rounds)));
  EXPECT_NEAR(ClockExcess(rounds).ms, 0, 1e-9);
  for (Round& round : rounds) round.candidate.judge_ms = round.candidate.cpu_ms += 1;
  EXPECT_NEAR(ClockExcess(rounds).ms, 1, 1e-9);
  EXPECT_TRUE(JudgeTimes(OfCpu(), Summarize(OfCpu(), rounds)));
}

TEST(JudgeTimes, HidingTimeInSomeRoundsOnlyDoesNotHelp) {
  std::vector<Round> rounds = Rounds(9, 1, 1);
  for (int i = 0; i < 6; ++i)
    rounds[static_cast<std::size_t>(i)].candidate.calls_ms.assign(5, 0.1);  // Its clock says so; the judge's does not.
  EXPECT_TRUE(JudgeTimes(OfCpu(), Summarize(OfCpu(), std::move(rounds))));
}

TEST(SkewFactor, TimeMovedIntoFewCallsIsMovedBack) {
  std::vector<Round> rounds = Rounds(9, 1, 1);
  for (Round& round : rounds) round.candidate.calls_ms = {4.6, 0.1, 0.1, 0.1, 0.1};  // The batch is as long as ever.
  const Measurement m = Summarize(OfCpu(), std::move(rounds));
  EXPECT_GT(m.skew, 4);
  EXPECT_LT(m.speedup, 2.5);
}

TEST(SkewFactor, HonestUnevennessIsLeftAlone) {
  std::vector<Round> rounds = Rounds(9, 1, 1);
  for (Round& round : rounds) round.candidate.warmup_ms = {2, 1.2, 1};
  EXPECT_EQ(SkewFactor(rounds), 1);
}

TEST(JudgeTimes, FasterThanMemoryIsImplausible) {
  Measurement m = Summarize(OfCpu(), Rounds(9, 10, 0.01));
  m.floor_ms = 0.064;
  const MaybeRuling ruling = JudgeTimes(OfCpu(), m);
  ASSERT_TRUE(ruling);
  EXPECT_EQ(ruling->outcome, Outcome::kRejectedImplausible);
}

TEST(JudgeTimes, TimeThatOtherStreamsWorkedOnIsAnEscapeAndAnyOtherIsTheClocks) {
  std::vector<Round> rounds = Rounds(9, 1, 0.01);
  for (Round& round : rounds) round.candidate.judge_ms = round.candidate.cpu_ms = round.reference.judge_ms;
  const Measurement forged = Summarize(OfCpu(), rounds);
  ASSERT_GT(forged.clock_excess.ms, 1);
  ASSERT_TRUE(JudgeTimes(OfCpu(), forged));
  EXPECT_EQ(JudgeTimes(OfCpu(), forged)->outcome, Outcome::kRejectedTimingTamper);
  for (Round& round : rounds) round.candidate.drain_ms = 0.9 * forged.clock_excess.ms;
  const MaybeRuling escaped = JudgeTimes(OfCpu(), Summarize(OfCpu(), rounds));
  ASSERT_TRUE(escaped);
  EXPECT_EQ(escaped->outcome, Outcome::kRejectedAsyncEscape);
  EXPECT_TRUE(escaped->evidence.contains("drain_ms"));
}

TEST(JudgeTimes, KernelsThatTookLongerThanTheirCallsWereOnOtherStreams) {
  Measurement forged = Summarize(OfCpu(), Rounds(9, 1, 0.5, 5));
  forged.calls = 1;
  ASSERT_TRUE(JudgeTimes(OfCpu(), forged));
  for (const auto& [kernels_ms, outcome] :
       {std::pair{0.6, Outcome::kRejectedTimingTamper}, std::pair{4.0, Outcome::kRejectedAsyncEscape}}) {
    forged.observed_ms = kernels_ms;
    EXPECT_EQ(JudgeTimes(OfCpu(), forged)->outcome, outcome) << kernels_ms;
  }
  Measurement honest = Summarize(OfCpu(), Rounds(9, 1, 0.5));
  honest.observed_ms = 4;  // By itself it says nothing: the observed call was a first one.
  EXPECT_FALSE(JudgeTimes(OfCpu(), honest));
}

Round OnGpu(double reference_launch, double candidate_launch, double ahead) {
  Round round = Rounds(1, 1, 1).front();
  for (auto [batch, launch] : {std::pair{&round.reference, reference_launch}, {&round.candidate, candidate_launch}}) {
    batch->enqueue_ms.assign(batch->warmup_ms.size() + batch->calls_ms.size(), launch);
    batch->launch_ms.assign(batch->warmup_ms.size() + batch->calls_ms.size(), launch);
    batch->ahead_ms.assign(batch->launch_ms.size(), ahead);
  }
  return round;
}

TEST(DelayFor, HidesTheLongerLaunchWithinBounds) {
  EXPECT_EQ(DelayFor(OnGpu(0.1, 0.2, 0.2)), 280us);
  EXPECT_EQ(DelayFor(OnGpu(0.001, 0.001, 0.2)), 60us) << "the least that empties the cache";
  EXPECT_EQ(DelayFor(OnGpu(0.1, 90, 0.2)), 10ms) << "who launches for longer is bound by the CPU";
}

TEST(Summarize, CountsCallsWhoseLaunchWasNotHidden) {
  const std::vector<Round> hidden(9, OnGpu(0.01, 0.02, 0.2)), dry(9, OnGpu(0.01, 0.5, 0.2));
  EXPECT_EQ(Summarize(OfCpu(), hidden).dry_share, 0);
  EXPECT_EQ(Summarize(OfCpu(), dry).dry_share, 1);
  EXPECT_EQ(Summarize(OfCpu(), Rounds(9, 1, 1)).candidate_launch_ms, std::nullopt) << "a CPU has no launches";
}

TEST(JudgeTimes, BehindACallThatWaitsForTheCardTheNextIsEnqueuedOnAnIdleOne) {
  for (const bool dry : {false, true}) {
    Round round = OnGpu(0.01, dry ? 0.5 : 0.02, 0.2);
    round.candidate.judge_ms += 2;
    round.candidate.cpu_ms += 2;
    const MaybeRuling ruling = JudgeTimes(OfCpu(), Summarize(OfCpu(), std::vector<Round>(9, round)));
    EXPECT_EQ(ruling.has_value(), !dry);
  }
}

TEST(CallsOf, BelievesNoMoreCopyingThanThereCanBe) {
  std::vector<Round> rounds = Rounds(9, 1, 1);
  EXPECT_NEAR(CallsOf(rounds).emit_share, 0.2 / 5.3, 1e-9);
  for (Round& round : rounds) round.candidate.emits_ms = 500;
  EXPECT_NEAR(CallsOf(rounds).emit_share, 1.2 * 0.2 / 5.3, 1e-9);
  for (Round& round : rounds) round.candidate.judge_ms = round.candidate.cpu_ms = 0;
  EXPECT_LE(CallsOf(rounds).emit_share, 1);
}

TEST(FloorMs, HoldsOnlyWhereTheReferenceKeepsToIt) {
  EXPECT_NEAR(FloorMs(1000, Facts(1ms, 1ms, 64'000'000), 5.0), 0.064, 1e-9);
  EXPECT_EQ(FloorMs(1000, Facts(1ms, 1ms, 64'000'000), 0.01), 0) << "a gather reads a part of its table";
}

TEST(DelayFor, IsBoundedForAnyTimeThatIsClaimed) {
  Round round;
  const Duration least = DelayFor(round);
  for (const double ms : {0.0, 1e-6, 1.0, 9.3e12, 1e300}) {
    round.candidate.enqueue_ms.assign(3, ms);
    EXPECT_GE(DelayFor(round), least) << ms;
    EXPECT_LE(DelayFor(round), 100ms) << ms;
  }
}

}  // namespace
}  // namespace kgym::judge
