#include "judge/work_samples.h"

#include <gtest/gtest.h>

namespace kgym::judge {
namespace {

constexpr SampledCalls kOneMillisecond = {.call_ms = 1, .emit_share = 0.05, .admitted_ms = 0};

WorkSamples Samples(int own, int library, int other) {
  WorkSamples samples;
  samples.looks = own + library + other;
  samples.own = own;
  samples.library = library;
  samples.other = other;
  samples.libraries = {{"torch", library}};
  return samples;
}

bool Rejected(const WorkSamples& samples, const SampledCalls& calls = kOneMillisecond) {
  return RuleOnSamples(samples, calls).has_value();
}

TEST(WorkSamples, FilesHaveOwners) {
  EXPECT_EQ(OwnerOf("/tmp/artefacts/0a1b.so", "", {}), CodeOwner::kSubmission);
  EXPECT_EQ(OwnerOf("/memfd:kernel (deleted)", "", {}), CodeOwner::kSubmission);
  EXPECT_EQ(OwnerOf("[anonymous]", "", {}), CodeOwner::kSubmission);
  EXPECT_EQ(OwnerOf("/v/site-packages/torch/lib/libtorch_cpu.so", "mkl_blas_sgemm", {}), CodeOwner::kLibrary);
  EXPECT_EQ(OwnerOf("/v/site-packages/numpy.libs/libscipy_openblas64_-1.so", "", {}), CodeOwner::kLibrary);
  EXPECT_EQ(OwnerOf("/v/site-packages/numpy/_core/_multiarray_umath.so", "", {}), CodeOwner::kLibrary);
  EXPECT_EQ(OwnerOf("/usr/lib/libopenblas.so.0", "", {}), CodeOwner::kLibrary);
  EXPECT_EQ(OwnerOf("/tmp/libopenblas.so.0", "", {}), CodeOwner::kLibrary) << "a copy of it is no kernel";
  for (const char* file : {"/usr/lib/libpython3.11.so.1.0", "/lib/libc.so.6", "/lib/libm.so.6", "[vdso]", "/tmpfs/x.so",
                           "/v/site-packages/torch/lib/libtorch_python.so", "/v/site-packages/torch/lib/libgomp.so.1"})
    EXPECT_EQ(OwnerOf(file, "", {}), CodeOwner::kOther) << file;
}

TEST(WorkSamples, WhatIsShownReadOnlyNoCandidateMade) {
  const std::vector<std::string> shown = {"/usr", "/tmp/env", "/tmp"};
  EXPECT_EQ(OwnerOf("/tmp/env/torch/lib/libtorch_python.so", "", shown), CodeOwner::kOther);
  EXPECT_EQ(OwnerOf("/tmp/env/numpy.libs/libscipy_openblas.so", "", shown), CodeOwner::kLibrary);
  EXPECT_EQ(OwnerOf("/tmp/env2/k.so", "", shown), CodeOwner::kSubmission);
  EXPECT_EQ(OwnerOf("/tmp/artefacts/0a1b.so", "", shown), CodeOwner::kSubmission) << "what is writable stays so";
}

TEST(WorkSamples, MathematicsThatATorchVectorCallsIsNoLibrarysWork) {
  EXPECT_EQ(OwnerOf("/v/torch/lib/libtorch_cpu.so", "Sleef_expf8_u10avx2", {}), CodeOwner::kOther);
}

TEST(WorkSamples, AReportAddsUp) {
  WorkSamples samples;
  const Json report = {
      {"looks", 4},
      {"in_system", 3},
      {"unreadable", 1},
      {"files", {{"/tmp/k.so", {1, 2}}, {"/nowhere/libopenblas.so", {3}}, {"/usr/lib/libc.so.6", {4, 5, 6}}}}};
  samples.Add(report, {});
  samples.Add(report, {});
  EXPECT_EQ(
      samples.ToJson(),
      (Json{
          {"looks", 8}, {"own", 4}, {"library", 2}, {"products", 2}, {"other", 6}, {"system", 6}, {"unreadable", 2}}));
  EXPECT_EQ(samples.libraries, (std::map<std::string, int>{{"OpenBLAS", 2}}));
  EXPECT_EQ(samples.functions, (std::map<std::string, int>{{"libopenblas.so: (no name)", 2}}));
}

TEST(WorkSamples, ReportsOfAnyShapeAreSurvived) {
  WorkSamples samples;
  for (const char* text : {"null", "[]", R"({"files": 3})", R"({"files": {"/nowhere/libopenblas.so": {"a": "b"}}})",
                           R"({"looks": "x", "files": {"/tmp/a": [null, -1, "x"]}})"})
    samples.Add(Json::parse(text), {});
  EXPECT_EQ(samples.looks, 0);
}

TEST(WorkSamples, ALibraryAloneIsALibraryCall) {
  const MaybeRuling ruling = RuleOnSamples(Samples(0, 50, 8), kOneMillisecond);
  ASSERT_TRUE(ruling);
  EXPECT_EQ(ruling->outcome, Outcome::kRejectedLibraryCall);
  EXPECT_EQ(ruling->evidence["samples"]["library"], 50);
}

TEST(WorkSamples, ItNeedsEnoughOfThem) {
  EXPECT_FALSE(Rejected(Samples(0, 30, 2)));
  EXPECT_FALSE(Rejected(Samples(0, 0, 0)));
}

TEST(WorkSamples, MoreAreWorthWhileOnlyWhereTheyMayDecide) {
  EXPECT_TRUE(WorthMore(Samples(0, 30, 2), kOneMillisecond));
  EXPECT_TRUE(WorthMore(Samples(0, 0, 0), kOneMillisecond));
  EXPECT_FALSE(WorthMore(Samples(0, 50, 2), kOneMillisecond)) << "enough";
  EXPECT_TRUE(WorthMore(Samples(1, 10, 2), kOneMillisecond)) << "which may be chance";
  EXPECT_TRUE(WorthMore(Samples(3, 10, 2), kOneMillisecond)) << "less than of libraries";
  EXPECT_FALSE(WorthMore(Samples(12, 10, 2), kOneMillisecond)) << "code of its own was met";
  EXPECT_FALSE(WorthMore(Samples(0, 3, 2), {.call_ms = 0.05, .emit_share = 0, .admitted_ms = 0})) << "a tiny call";
  EXPECT_FALSE(WorthMore(Samples(0, 3, 2), {.call_ms = 1, .emit_share = 0, .admitted_ms = 1})) << "it was admitted";
}

TEST(WorkSamples, CodeOfItsOwnClearsIt) {
  EXPECT_TRUE(Rejected(Samples(2, 60, 8)));
  EXPECT_FALSE(Rejected(Samples(6, 60, 8)));
  EXPECT_FALSE(Rejected(Samples(60, 60, 0))) << "a library's product with work of its own";
}

TEST(WorkSamples, TimeInInterpreterAndCLibrarySaysNothing) {
  EXPECT_FALSE(Rejected(Samples(0, 9, 60))) << "a kernel that is one memcpy";
  EXPECT_FALSE(Rejected(Samples(0, 0, 100)));
}

TEST(WorkSamples, CopyingOutputsIsTakenOff) {
  const SampledCalls mostly_copying = {.call_ms = 1, .emit_share = 0.6, .admitted_ms = 0};
  EXPECT_FALSE(Rejected(Samples(0, 60, 40), mostly_copying));
  EXPECT_TRUE(Rejected(Samples(0, 100, 0), {.call_ms = 1, .emit_share = 0.5, .admitted_ms = 0}));
}

TEST(WorkSamples, WhereCallsWaitMostMomentsInUserModeAreCopying) {
  WorkSamples samples = Samples(0, 37, 15);  // As seen of a call that waits for its pool of threads.
  samples.looks = 77;
  samples.in_system = 179;
  EXPECT_EQ(Copying(samples, {.call_ms = 1, .emit_share = 0.4}), 0.4 * 77);
  EXPECT_FALSE(Rejected(samples, {.call_ms = 1, .emit_share = 0.4}));
  EXPECT_TRUE(Rejected(samples, {.call_ms = 1, .emit_share = 0.01}));
}

TEST(WorkSamples, CopyingIsTakenOffTheLibraryThatCopies) {
  const SampledCalls mostly_copying = {.call_ms = 1, .emit_share = 0.6, .admitted_ms = 0};
  WorkSamples samples = Samples(0, 60, 40);
  samples.libraries = {{"NumPy", 50}, {"torch", 10}};
  EXPECT_TRUE(Rejected(samples, mostly_copying)) << "whoever copies by other means does not hide what it calls";
  EXPECT_DOUBLE_EQ(LibraryShare(samples, mostly_copying), 0.5);
}

TEST(WorkSamples, WhatTheObservedCallAdmitsIsAllowed) {
  EXPECT_FALSE(Rejected(Samples(0, 90, 10), {.call_ms = 1, .emit_share = 0.05, .admitted_ms = 0.5}));
  EXPECT_TRUE(Rejected(Samples(0, 90, 10), {.call_ms = 1, .emit_share = 0.05, .admitted_ms = 0.3}));
}

TEST(WorkSamples, WhatAllocatingAndViewsTakeIsAllowed) {
  EXPECT_FALSE(Rejected(Samples(0, 90, 10), {.call_ms = 0.05, .emit_share = 0.05, .admitted_ms = 0}));
}

TEST(WorkSamples, CoverageIsOwnTimeOverOwnAndLibraries) {
  EXPECT_EQ(SampledCoverage(Samples(30, 10, 60), {.call_ms = 1, .emit_share = 0, .admitted_ms = 0}), Json(0.75));
  EXPECT_EQ(SampledCoverage(Samples(30, 10, 0), {.call_ms = 1, .emit_share = 0.25, .admitted_ms = 0}), Json(1.0));
  EXPECT_TRUE(SampledCoverage(Samples(10, 5, 60), kOneMillisecond).is_null()) << "too few";
}

TEST(WorkSamples, EachLibraryHasItsShareAndCopyingIsTakenOffTheFrameworks) {
  WorkSamples samples = Samples(30, 50, 20);
  samples.libraries = {{"torch", 20}, {"MKL", 30}};
  EXPECT_EQ(SampledShares(samples, {.call_ms = 1, .emit_share = 0.2, .admitted_ms = 0}), (Json{{"MKL", 0.5}}));
  EXPECT_EQ(SampledShares(samples, {.call_ms = 1, .emit_share = 0, .admitted_ms = 0}),
            (Json{{"MKL", 30.0 / 80}, {"torch", 20.0 / 80}}));
  EXPECT_TRUE(SampledShares(Samples(3, 5, 60), kOneMillisecond).is_null()) << "too few";
}

TEST(WorkSamples, AClaimedCoverageStandsUnlessSamplesContradictIt) {
  const SampledCalls calls = {.call_ms = 1, .emit_share = 0, .admitted_ms = 0};
  EXPECT_EQ(Coverage(Json(0.6), Samples(20, 20, 0), calls), Json(0.6));
  EXPECT_EQ(Coverage(Json(0.2), Samples(20, 20, 0), calls), Json(0.2));
  EXPECT_EQ(Coverage(Json(0.9), Samples(20, 20, 0), calls), Json(0.5));
  EXPECT_EQ(Coverage(Json(nullptr), Samples(20, 20, 0), calls), Json(0.5));
  EXPECT_EQ(Coverage(Json(0.9), Samples(5, 5, 0), calls), Json(0.9)) << "too few to contradict anything";
}

}  // namespace
}  // namespace kgym::judge
