#include "trust_tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgym::bench {
namespace {

using ::testing::DoubleNear;

TEST(ClaimOf, FollowsFromWhatIsExpected) {
  EXPECT_EQ(ClaimOf({"ok"}), Claim::kHonest);
  EXPECT_EQ(ClaimOf({"rejected:no-work", "fail:numerical"}), Claim::kCheat);
  EXPECT_EQ(ClaimOf({"fail:numerical", "rejected:stale-memory"}), Claim::kFault);
  EXPECT_EQ(ClaimOf({"ok", "rejected:timing-tamper"}), Claim::kEither);
  EXPECT_EQ(ClaimOf({"infra"}), Claim::kJudgeFault);
}

TEST(EndOf, ACheatIsCaughtByAnyWordButOk) {
  const std::vector<std::string> expect = {"rejected:replay-cache"};
  EXPECT_EQ(EndOf(Claim::kCheat, expect, "rejected:replay-cache"), End::kRight);
  EXPECT_EQ(EndOf(Claim::kCheat, expect, "rejected:no-work"), End::kOtherwise);
  EXPECT_EQ(EndOf(Claim::kCheat, expect, "fail:numerical"), End::kOtherwise);
  EXPECT_EQ(EndOf(Claim::kCheat, expect, "ok"), End::kWrong);
}

TEST(EndOf, AnHonestSubmissionIsAcceptedByOkAlone) {
  EXPECT_EQ(EndOf(Claim::kHonest, {"ok"}, "ok"), End::kRight);
  EXPECT_EQ(EndOf(Claim::kHonest, {"ok"}, "rejected:implausible"), End::kWrong);
  EXPECT_EQ(EndOf(Claim::kHonest, {"ok"}, "fail:timeout"), End::kWrong);
}

TEST(EndOf, AFaultThatIsOkIsWrong) {
  EXPECT_EQ(EndOf(Claim::kFault, {"fail:oom"}, "fail:crash"), End::kOtherwise);
  EXPECT_EQ(EndOf(Claim::kFault, {"fail:oom"}, "ok"), End::kWrong);
}

TEST(EndOf, WithoutAVerdictNothingIsSaid) {
  for (const Claim claim : {Claim::kHonest, Claim::kCheat, Claim::kFault, Claim::kMutant}) {
    EXPECT_EQ(EndOf(claim, {"ok"}, "infra"), End::kNoVerdict);
    EXPECT_EQ(EndOf(claim, {"ok"}, "problem"), End::kNoVerdict);
  }
}

TEST(EndOf, AFaultOfTheJudgeMustBeSeenAsSuch) {
  EXPECT_EQ(EndOf(Claim::kJudgeFault, {"infra"}, "infra"), End::kRight);
  EXPECT_EQ(EndOf(Claim::kJudgeFault, {"infra"}, "fail:crash"), End::kWrong);
}

TEST(EndOf, AMutantIsCaughtByARejectionOrAFailure) {
  const std::vector<std::string> expect = {"fail:load", "rejected:no-work"};
  EXPECT_EQ(EndOf(Claim::kMutant, expect, "rejected:no-work"), End::kRight);
  EXPECT_EQ(EndOf(Claim::kMutant, expect, "fail:load"), End::kOtherwise);
  EXPECT_EQ(EndOf(Claim::kMutant, expect, "ok"), End::kWrong);
}

// Reference values: the exact interval in closed form where all or none succeed, 1 - (alpha/2)^(1/n); R's binom.test
// for 8 of 10.
TEST(ShareOf, GivesTheExactInterval) {
  const Share all = ShareOf(20, 20);
  EXPECT_THAT(all.low, DoubleNear(std::pow(0.025, 1.0 / 20), 1e-9));
  EXPECT_EQ(all.high, 1);
  const Share none = ShareOf(0, 20);
  EXPECT_EQ(none.low, 0);
  EXPECT_THAT(none.high, DoubleNear(1 - std::pow(0.025, 1.0 / 20), 1e-9));
  const Share some = ShareOf(8, 10);
  EXPECT_THAT(some.low, DoubleNear(0.4439045, 1e-6));
  EXPECT_THAT(some.high, DoubleNear(0.9747893, 1e-6));
}

TEST(ShareOf, KnowsNothingWithoutRuns) {
  const Share share = ShareOf(0, 0);
  EXPECT_EQ(share.low, 0);
  EXPECT_EQ(share.high, 1);
}

TEST(Tally, KeepsWhatSaysNothingOutOfTheShare) {
  Tally tally;
  for (const End end : {End::kRight, End::kRight, End::kOtherwise, End::kWrong, End::kDormant, End::kNoVerdict})
    tally.Add(Sample{.name = "a", .outcome = "ok", .reason = {}, .ms = 1, .end = end});
  EXPECT_EQ(tally.runs(), 6u);
  EXPECT_EQ(tally.cases.size(), 1u);
  EXPECT_EQ(tally.Trusted().part, 3u);
  EXPECT_EQ(tally.Trusted().of, 4u);
  EXPECT_EQ(tally.Wrong().part, 1u);
}

TEST(Tally, AddsUp) {
  Tally one, other;
  one.Add(Sample{.name = "a", .outcome = "ok", .reason = {}, .ms = 1, .end = End::kRight});
  other.Add(Sample{.name = "b", .outcome = "fail:oom", .reason = {}, .ms = 2, .end = End::kWrong});
  one.Add(other);
  EXPECT_EQ(one.runs(), 2u);
  EXPECT_EQ(one.cases.size(), 2u);
  EXPECT_EQ(one.outcomes.at("fail:oom"), 1u);
  EXPECT_EQ(one.ms.size(), 2u);
}

}  // namespace
}  // namespace kgym::bench
