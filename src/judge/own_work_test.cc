#include "judge/own_work.h"

#include <gtest/gtest.h>

namespace kgym::judge {
namespace {

const Json kReference = {{"aten.mm", 1}, {"aten.relu", 1}};

Json Facts(Json more, const char* output = "framework") {
  Json facts = {{"outputs", Json::array({{{"kind", output}}})}};
  facts.update(more);
  return facts;
}

Outcome Of(const Json& facts) {
  const MaybeRuling ruling = RuleOnOwnWork(facts, kReference);
  return ruling ? ruling->outcome : Outcome::kOk;
}

TEST(TwoFaces, OperatorsThatOnlyTimedCallsRunAreHeldAgainstIt) {
  const Json facts = {{"operators", {{"aten::mm", 1}}}, {"inside", {{"aten::add", 2}}}, {"unseen", nullptr}};
  EXPECT_FALSE(RuleOnTwoFaces(facts, {{"aten::mm", 12}, {"aten::add", 3}}));
  EXPECT_FALSE(RuleOnTwoFaces(facts, Json::object())) << "fewer than in the observed call: it may keep what it made";
  EXPECT_FALSE(RuleOnTwoFaces(facts, nullptr)) << "where nobody could watch";
  const MaybeRuling ruling = RuleOnTwoFaces(facts, {{"aten::mm", 12}, {"aten::relu", 12}});
  ASSERT_TRUE(ruling);
  EXPECT_EQ(ruling->outcome, Outcome::kRejectedDecoyKernel);
  EXPECT_EQ(ruling->evidence["operators"], (Json{{"aten::relu", 12}}));
}

TEST(OwnWork, OneOwnOutputIsEnough) {
  Json facts = Facts({{"kernels", {{"f", "extension"}}}, {"launches", {{"f", 1}}}}, "own");
  facts["outputs"].push_back({{"kind", "framework"}});
  EXPECT_EQ(Of(facts), Outcome::kOk);
}

TEST(OwnWork, ForeignMachineCodeCountsAsAKernel) {
  EXPECT_EQ(Of(Facts({{"foreign", {"/tmp/x.so"}}}, "own")), Outcome::kOk);
}

TEST(OwnWork, ContentFromNowhereWithoutAKernelIsALibrary) {
  EXPECT_EQ(Of(Facts(Json::object(), "own")), Outcome::kRejectedLibraryCall) << "numpy, say";
}

Json Profile(double own, double library, double framework) {
  return {{"us", {{"own", own}, {"library", library}, {"framework", framework}}}, {"kernels", Json::array()}};
}

TEST(OwnWork, OnAGpuNativeCodeThatLaunchesLibraryKernelsOnlyIsALibraryCall) {
  const Json own = {{"kernels", {{"f", "extension"}}}, {"launches", {{"f", 1}}}};
  Json facts = Facts(own, "own");
  facts["profile"] = Profile(0, 80, 5);
  EXPECT_EQ(Of(facts), Outcome::kRejectedLibraryCall);
  facts["profile"] = Profile(3, 80, 5);
  EXPECT_EQ(Of(facts), Outcome::kOk) << "a library's product with an epilogue of its own";
  facts["profile"] = nullptr;
  EXPECT_EQ(Of(facts), Outcome::kOk) << "without a profile nobody can tell";
}

TEST(OwnWork, AProfileOfLibraryKernelsDoesNotChangeWhatIsSaidOfASubmissionWithoutAKernel) {
  Json facts = Facts({{"operators", {{"aten.relu", 2}, {"aten.mm", 1}}}});
  facts["profile"] = Profile(0, 80, 5);
  EXPECT_EQ(Of(facts), Outcome::kRejectedReferenceCall);
  facts = Facts({{"kernels", {{"f", "triton"}}}, {"operators", {{"aten.mm", 1}}}});
  facts["profile"] = Profile(0, 80, 5);
  EXPECT_EQ(Of(facts), Outcome::kRejectedDecoyKernel);
}

TEST(OwnWorkSummary, CoverageIsTheShareOfTheCardsTime) {
  Json facts = Facts({{"own_ns", 1}, {"framework_ns", 1}}, "own");
  facts["profile"] = Profile(30, 60, 10);
  EXPECT_DOUBLE_EQ(OwnWorkSummary(facts)["coverage"].get<double>(), 0.3);
  facts["profile"] = Profile(0, 0, 0);
  EXPECT_TRUE(OwnWorkSummary(facts)["coverage"].is_null());
}

TEST(OwnWorkSummary, LibrariesHaveTheirSharesOfTheCardsTime) {
  Json facts = Facts({{"operators", {{"aten::mm", 1}}}}, "own");
  facts["profile"] = Profile(30, 60, 10);
  facts["profile"]["libraries"] = {{"cuBLAS", 45}, {"cuDNN", 15}, {"none", 0}, {"forged", -3}, {"text", "x"}};
  EXPECT_EQ(OwnWorkSummary(facts)["libraries"], (Json{{"cuBLAS", 0.45}, {"cuDNN", 0.15}, {"torch", 0.1}}));
}

TEST(OwnWorkSummary, OnACpuTheFrameworkIsTheLibraryThatIsSeen) {
  EXPECT_EQ(OwnWorkSummary({{"own_ns", 300}, {"framework_ns", 50}, {"inside_ns", 50}})["libraries"],
            (Json{{"torch", 0.25}}));
  EXPECT_TRUE(OwnWorkSummary(Facts({{"framework_ns", 50}}, "own"))["libraries"].is_null()) << "own time unknown";
}

TEST(OwnWork, TheReferencesOperatorsAreAReferenceCall) {
  EXPECT_EQ(Of(Facts({{"operators", {{"aten.relu", 2}, {"aten.mm", 1}}}})), Outcome::kRejectedReferenceCall);
}

TEST(OwnWork, OtherOperatorsAreALibraryCall) {
  EXPECT_EQ(Of(Facts({{"operators", {{"aten.addmm", 1}}}})), Outcome::kRejectedLibraryCall);
}

TEST(OwnWork, OperatorsInsideNativeCodeAreALibraryCall) {
  EXPECT_EQ(Of(Facts({{"kernels", {{"f", "extension"}}}, {"launches", {{"f", 1}}}, {"inside", {{"aten.mm", 1}}}})),
            Outcome::kRejectedLibraryCall);
}

TEST(OwnWork, AKernelNeverLaunchedOrUnusedIsADecoy) {
  EXPECT_EQ(Of(Facts({{"kernels", {{"f", "triton"}}}, {"operators", {{"aten.mm", 1}}}})),
            Outcome::kRejectedDecoyKernel);
  EXPECT_EQ(Of(Facts({{"kernels", {{"f", "triton"}}}, {"launches", {{"f", 1}}}, {"operators", {{"aten.mm", 1}}}})),
            Outcome::kRejectedDecoyKernel);
}

TEST(OwnWork, OnACardSomethingOfItsOwnMustHaveRun) {
  const auto of = [](Json us) {
    return Of(Facts({{"kernels", {{"f", "extension"}}}, {"profile", {{"us", std::move(us)}}}}, "own"));
  };
  EXPECT_EQ(of({{"own", 0.0}, {"library", 0.0}, {"framework", 20.0}}), Outcome::kRejectedLibraryCall);
  EXPECT_EQ(of({{"own", 0.0}, {"library", 5.0}, {"framework", 0.0}}), Outcome::kRejectedLibraryCall);
  EXPECT_EQ(of({{"own", 1.0}, {"library", 5.0}, {"framework", 20.0}}), Outcome::kOk);
  EXPECT_EQ(of({{"own", 0.0}, {"library", 0.0}, {"framework", 0.0}}), Outcome::kOk) << "nothing was recorded";
}

TEST(OwnWork, AFallbackIsAReferenceCall) {
  EXPECT_EQ(Of(Facts({{"kernels", {{"f", "extension"}}},
                      {"launches", {{"f", 1}}},
                      {"raised", {{"f", "no"}}},
                      {"operators", {{"aten.mm", 1}}}})),
            Outcome::kRejectedReferenceCall);
}

TEST(OwnWork, AnInputGivenBackIsNoWork) { EXPECT_EQ(Of(Facts(Json::object(), "input")), Outcome::kRejectedNoWork); }

TEST(OwnWork, FactsOfAnyShapeAreSurvived) {
  for (const char* text : {"{}", "[]", "null", R"({"outputs": 3, "kernels": "x", "operators": [1]})",
                           R"({"outputs": [1, {"kind": 2}]})"}) {
    const Json facts = Json::parse(text);
    EXPECT_NE(Of(facts), Outcome::kOk) << text;
    OwnWorkSummary(facts);
  }
}

TEST(OwnWork, CoverageIsTheShareOfOwnTime) {
  EXPECT_DOUBLE_EQ(OwnWorkSummary({{"own_ns", 300}, {"framework_ns", 50}, {"inside_ns", 50}})["coverage"].get<double>(),
                   0.75);
  EXPECT_TRUE(OwnWorkSummary(Json::object())["coverage"].is_null());
}

TEST(OwnWork, ItsSummaryTakesOverOnlyWhatIsOfItsType) {
  const Json facts = {{"kernels", {1}},
                      {"launches", "one"},
                      {"outputs", {{"a", 1}}},
                      {"profile", {1}},
                      {"raised", {{"k", "ValueError"}}},
                      {"operators", {{"a", -1}, {"b", 1.5}, {"c", "x"}, {"d", nullptr}, {"e", 3}}}};
  const Json summary = OwnWorkSummary(facts);
  EXPECT_EQ(summary, (Json{{"raised", {{"k", "ValueError"}}},
                           {"operators", {{"e", 3}}},
                           {"libraries", nullptr},
                           {"coverage", nullptr}}));
}

TEST(OwnWork, CoverageIsAShareWhateverIsClaimed) {
  EXPECT_EQ(OwnWorkSummary({{"own_ns", 30}, {"framework_ns", 10}})["coverage"], 0.75);
  EXPECT_EQ(OwnWorkSummary({{"own_ns", -5}, {"framework_ns", 10}})["coverage"], 0.0);
  EXPECT_EQ(OwnWorkSummary({{"own_ns", 10}, {"framework_ns", -5}})["coverage"], 1.0);
  EXPECT_EQ(OwnWorkSummary({{"own_ns", 1e308}, {"framework_ns", 1e308}, {"inside_ns", 1e308}})["coverage"], nullptr);
  EXPECT_EQ(OwnWorkSummary({{"profile", {{"us", {{"own", 6}, {"library", 3}, {"framework", -1}}}}}})["coverage"],
            Json(6.0 / 9));
}

Json Kernels(double own, double library, double framework) {
  Json profile = Profile(own, library, framework);
  profile["libraries"] = {{"cuBLAS", library}};
  return profile;
}

TEST(RuleOnKernelsOfTwoFaces, TellsLibrariesThatOnlyTimedCallsUse) {
  const Json alone = {{"profile", Kernels(100, 0, 0)}}, half = {{"profile", Kernels(50, 50, 0)}};
  const MaybeRuling ruling = RuleOnKernelsOfTwoFaces(alone, Kernels(10, 90, 0));
  ASSERT_TRUE(ruling);
  EXPECT_EQ(ruling->outcome, Outcome::kRejectedLibraryCall);
  EXPECT_EQ(ruling->evidence["libraries"]["cuBLAS"], 0.9);
  EXPECT_TRUE(RuleOnKernelsOfTwoFaces(alone, Kernels(10, 0, 90))) << "torch's own kernels, below the dispatcher";
  EXPECT_FALSE(RuleOnKernelsOfTwoFaces(half, Kernels(40, 60, 0))) << "a share is not measured twice alike";
  EXPECT_FALSE(RuleOnKernelsOfTwoFaces(half, Kernels(90, 10, 0)));
  EXPECT_FALSE(RuleOnKernelsOfTwoFaces(alone, Json())) << "on a CPU, or without CUPTI";
  EXPECT_FALSE(RuleOnKernelsOfTwoFaces(alone, Kernels(0, 0, 0)));
}

TEST(RuleOnKernelsOfTwoFaces, WhatWasNotObservedIsNoAlibi) {
  EXPECT_TRUE(RuleOnKernelsOfTwoFaces(Json::object(), Kernels(0, 90, 0)));
}

}  // namespace
}  // namespace kgym::judge
