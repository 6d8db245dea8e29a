// What a card reports, and whether that is a program's doing or its own.
#include "judge/card_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/fake_nvml.h"

namespace kgym::judge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CardWatchTest : public testing::Test {
 protected:
  CardWatchTest() : first_(nvml_.Add("GPU-1")) {}
  Card TheCard() { return std::move(FindCard("cuda", nvml_.library, std::nullopt).value()); }

  FakeNvml nvml_;
  FakeCard& first_;
};

TEST_F(CardWatchTest, OnlyWhatCameMeanwhileCounts) {
  nvml_.Report(first_, kNvmlXid, 31);
  CardWatch watch(TheCard(), nvml_.library);
  const CardReports before = watch.Look();
  EXPECT_THAT(Between(before, watch.Look()).xids, IsEmpty());
  nvml_.Report(first_, kNvmlXid, 43);
  nvml_.Report(first_, kNvmlXid, 13);
  nvml_.Report(first_, kNvmlXid, 13);
  const CardErrors errors = Between(before, watch.Look());
  EXPECT_THAT(errors.xids, ElementsAre(13, 43));
  EXPECT_EQ(errors.Fault(), "");
}

TEST_F(CardWatchTest, ACodeThatComesAgainIsNew) {
  CardWatch watch(TheCard(), nvml_.library);
  nvml_.Report(first_, kNvmlXid, 31);
  const CardReports before = watch.Look();
  nvml_.Report(first_, kNvmlXid, 31);
  EXPECT_THAT(Between(before, watch.Look()).xids, ElementsAre(31));
}

TEST_F(CardWatchTest, WhatAProgramCannotCauseIsTheCardsFault) {
  for (const int xid : {48, 63, 64, 74, 79, 92, 94, 95, 119, 999}) {
    CardErrors errors;
    errors.xids = {13, xid};
    EXPECT_THAT(errors.Fault(), HasSubstr("the card reported Xid " + std::to_string(xid)));
    EXPECT_THAT(errors.Fault(), Not(HasSubstr("13"))) << "which is a program's";
  }
  for (const int xid : {8, 13, 31, 32, 43, 45, 68, 69, 109, 137}) {
    CardErrors errors;
    errors.xids = {xid};
    EXPECT_EQ(errors.Fault(), "") << xid;
  }
}

TEST_F(CardWatchTest, CorrectedErrorsAreAFactAndUncorrectableOnesAFault) {
  first_.corrected = 5;
  first_.uncorrected = 1;
  CardWatch watch(TheCard(), nvml_.library);
  const CardReports before = watch.Look();
  first_.corrected = 7;
  const CardErrors corrected = Between(before, watch.Look());
  Json facts = Json::object();
  corrected.AddTo(facts);
  EXPECT_EQ(facts, Json({{"ecc_errors", {{"corrected", 2}, {"uncorrected", 0}}}}));
  EXPECT_EQ(corrected.Fault(), "");
  first_.uncorrected = 2;
  EXPECT_EQ(Between(before, watch.Look()).Fault(), "the card reported 1 uncorrectable ECC error(s)");
}

TEST_F(CardWatchTest, AnEventOfAnUncorrectableErrorIsOneWhateverTheCounterSays) {
  CardWatch watch(TheCard(), nvml_.library);
  const CardReports before = watch.Look();
  nvml_.Report(first_, kNvmlDoubleBitError, 0);
  const CardErrors errors = Between(before, watch.Look());
  EXPECT_EQ(errors.uncorrected, 1U);
  EXPECT_THAT(errors.Fault(), HasSubstr("uncorrectable"));
}

TEST_F(CardWatchTest, NothingToSayLeavesTheFactsAlone) {
  CardWatch watch(TheCard(), nvml_.library);
  const CardReports before = watch.Look();
  Json facts = {{"device", "cuda"}};
  Between(before, watch.Look()).AddTo(facts);
  EXPECT_EQ(facts, Json({{"device", "cuda"}}));
}

TEST_F(CardWatchTest, ACardThatIsLostIsAFaultUntilItIsBack) {
  CardWatch watch(TheCard(), nvml_.library);
  const CardReports before = watch.Look();
  nvml_.lost = true;
  EXPECT_THAT(Between(before, watch.Look()).Fault(), HasSubstr("is lost"));
  nvml_.lost = false;
  EXPECT_EQ(Between(before, watch.Look()).Fault(), "");
}

TEST_F(CardWatchTest, OfACardThatIsCutUpOnlyTheOwnInstanceCounts) {
  first_.Cut("MIG-a", 7, 10ULL << 30);
  first_.Cut("MIG-b", 9, 10ULL << 30);
  const Result<Card> card = FindCard("cuda", nvml_.library, "MIG-b");
  CardWatch watch(*card, nvml_.library);
  EXPECT_EQ(nvml_.registered, first_.handle()) << "the card tells of events, not its instances";
  const CardReports before = watch.Look();
  nvml_.Report(first_, kNvmlXid, 13, 7);
  nvml_.Report(first_, kNvmlXid, 31, 9);
  nvml_.Report(first_, kNvmlXid, 79);
  EXPECT_THAT(Between(before, watch.Look()).xids, ElementsAre(31, 79));
}

TEST_F(CardWatchTest, WhereTheDriverTellsNothingItSaysSoAndNothingIsAFault) {
  nvml_.supported = 0;
  CardWatch none(TheCard(), nvml_.library);
  EXPECT_THAT(none.missing(), HasSubstr("does not tell of Xids"));
  nvml_.Report(first_, kNvmlXid, 79);
  EXPECT_THAT(none.Look().xids, IsEmpty());
  nvml_.library.EventSetWait = nullptr;
  EXPECT_THAT(CardWatch(TheCard(), nvml_.library).missing(), HasSubstr("too old"));
  Card unknown;
  unknown.uuid = "GPU-of-nobody";
  CardWatch nobody(unknown, nvml_.library);
  EXPECT_THAT(nobody.missing(), HasSubstr("GPU-of-nobody"));
  EXPECT_FALSE(nobody.Look().lost);
}

TEST_F(CardWatchTest, NobodyIsWaitedForUnlessOneIsPatient) {
  CardWatch watch(TheCard(), nvml_.library);
  watch.Look();
  EXPECT_EQ(nvml_.longest_ms, 0U);
  watch.Look(20ms);
  EXPECT_EQ(nvml_.longest_ms, 20U);
}

TEST_F(CardWatchTest, GivesItsEventsBack) {
  {
    CardWatch watch(TheCard(), nvml_.library);
    EXPECT_EQ(nvml_.event_sets, 1);
  }
  EXPECT_EQ(nvml_.event_sets, 0);
}

}  // namespace
}  // namespace kgym::judge
