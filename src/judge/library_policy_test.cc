#include "judge/library_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgym::judge {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr AllowedLibrary kNone = AllowedLibrary::kNone, kBlas = AllowedLibrary::kBlas, kAny = AllowedLibrary::kAny;
constexpr SampledCalls kOneMillisecond = {.call_ms = 1, .emit_share = 0.05, .admitted_ms = 0};

Json Calls(const char* where, Json operators) { return {{where, std::move(operators)}}; }

WorkSamples Samples(int own, int library, int products) {
  WorkSamples samples;
  samples.own = own;
  samples.library = library;
  samples.products = products;
  samples.libraries = {{"OpenBLAS", products}, {"NumPy", library - products}};
  return samples;
}

TEST(LibraryPolicy, AnyAllowsEverything) {
  EXPECT_FALSE(RuleOnLibraries(kAny, Calls("operators", {{"aten::mm", 1}, {"aten::exp", 1}})));
  EXPECT_EQ(SampledLibraries(kAny, Samples(0, 400, 0), kOneMillisecond), Sampled::kWithin);
}

TEST(LibraryPolicy, NoneAllowsNoOperatorWhereverItRan) {
  for (const char* where : {"operators", "inside", "unseen"}) {
    const MaybeRuling ruling = RuleOnLibraries(kNone, Calls(where, {{"aten::mm", 2}}));
    ASSERT_TRUE(ruling) << where;
    EXPECT_EQ(ruling->outcome, Outcome::kRejectedLibraryCall);
    EXPECT_EQ(ruling->evidence["operators"], (Json{{"aten::mm", 2}}));
  }
  EXPECT_FALSE(RuleOnLibraries(kNone, {{"operators", Json::object()}, {"unseen", nullptr}}));
}

TEST(LibraryPolicy, BlasAllowsProductsAndNamesWhatElseThereWas) {
  EXPECT_FALSE(RuleOnLibraries(kBlas, Calls("operators", {{"aten::addmm", 1}, {"aten::convolution", 3}})));
  const MaybeRuling ruling = RuleOnLibraries(kBlas, Calls("operators", {{"aten::mm", 1}, {"aten::gelu", 1}}));
  ASSERT_TRUE(ruling);
  EXPECT_THAT(ruling->reason, AllOf(HasSubstr("judge.allow_library is 'blas'"), HasSubstr("aten::gelu")));
  EXPECT_THAT(ruling->reason, testing::Not(HasSubstr("aten::mm")));
}

TEST(LibraryPolicy, OnACardKernelsThatItCalledItselfCount) {
  const Json blas = {{"profile", {{"called", {{"cuBLAS", 40.0}}}, {"called_beyond_products", Json::object()}}}};
  const Json fft = {{"profile", {{"called", {{"cuFFT", 40.0}}}, {"called_beyond_products", {{"cuFFT", 40.0}}}}}};
  EXPECT_FALSE(RuleOnLibraries(kBlas, blas));
  EXPECT_TRUE(RuleOnLibraries(kNone, blas));
  const MaybeRuling ruling = RuleOnLibraries(kBlas, fft);
  ASSERT_TRUE(ruling);
  EXPECT_THAT(ruling->reason, HasSubstr("cuFFT"));
  EXPECT_EQ(ruling->evidence["libraries_us"]["cuFFT"], 40.0);
}

TEST(LibraryPolicy, FactsOfAnyShapeAreSurvived) {
  for (const char* text : {"null", "[]", R"({"operators": 3, "profile": [1]})", R"({"profile": {"called": "x"}})"})
    EXPECT_FALSE(RuleOnLibraries(kNone, Json::parse(text))) << text;
}

TEST(LibraryPolicy, SampledLibrariesAreBeyondNoneEvenBesideOwnCode) {
  const MaybeRuling ruling = RuleOnSampledLibraries(kNone, Samples(60, 40, 40), kOneMillisecond);
  ASSERT_TRUE(ruling);
  EXPECT_EQ(ruling->outcome, Outcome::kRejectedLibraryCall);
  EXPECT_THAT(ruling->reason, HasSubstr("OpenBLAS"));
  EXPECT_EQ(ruling->evidence["key"], "judge.allow_library");
}

TEST(LibraryPolicy, SampledProductsAreWithinBlas) {
  EXPECT_EQ(SampledLibraries(kBlas, Samples(60, 140, 140), kOneMillisecond), Sampled::kWithin);
  EXPECT_EQ(SampledLibraries(kBlas, Samples(60, 140, 40), kOneMillisecond), Sampled::kBeyond);
}

TEST(LibraryPolicy, WhatMayBeChanceIsOpen) {
  EXPECT_EQ(SampledLibraries(kNone, Samples(0, 10, 0), kOneMillisecond), Sampled::kOpen) << "too few";
  EXPECT_EQ(SampledLibraries(kNone, Samples(44, 8, 0), kOneMillisecond), Sampled::kOpen);
  EXPECT_FALSE(RuleOnSampledLibraries(kNone, Samples(44, 8, 0), kOneMillisecond));
}

TEST(LibraryPolicy, OurCopyingAndWhatIsAdmittedAreWithin) {
  WorkSamples copies = Samples(300, 100, 0);
  copies.libraries = {{"torch", 100}};
  EXPECT_EQ(SampledLibraries(kNone, copies, {.call_ms = 1, .emit_share = 0.25, .admitted_ms = 0}), Sampled::kWithin);
  EXPECT_EQ(SampledLibraries(kNone, Samples(60, 40, 0), {.call_ms = 1, .emit_share = 0, .admitted_ms = 0.6}),
            Sampled::kWithin);
  EXPECT_EQ(SampledLibraries(kNone, Samples(0, 400, 0), {.call_ms = 0.04, .emit_share = 0, .admitted_ms = 0}),
            Sampled::kWithin)
      << "a tiny call";
}

TEST(LibraryPolicy, CoverageIsHeldToTheLeastWhereItIsKnown) {
  EXPECT_FALSE(RuleOnCoverage(0.5, Json(0.5)));
  EXPECT_FALSE(RuleOnCoverage(0.5, Json(nullptr)));
  EXPECT_FALSE(RuleOnCoverage(0, Json(0.0)));
  const MaybeRuling ruling = RuleOnCoverage(0.5, Json(0.125));
  ASSERT_TRUE(ruling);
  EXPECT_EQ(ruling->outcome, Outcome::kRejectedLibraryCall);
  EXPECT_THAT(ruling->reason, AllOf(HasSubstr("12.5 %"), HasSubstr("50 %"), HasSubstr("judge.min_coverage is 0.5")));
}

}  // namespace
}  // namespace kgym::judge
