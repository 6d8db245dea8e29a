#include "judge/memory_need.h"

#include <gtest/gtest.h>

namespace kgym::judge {
namespace {

constexpr std::int64_t kMb = std::int64_t{1} << 20;

ProblemFacts Facts(std::int64_t input_mb, std::int64_t output_mb, std::int64_t peak_mb) {
  ProblemFacts facts;
  facts.input_bytes = input_mb * kMb;
  facts.output_bytes = output_mb * kMb;
  facts.peak_bytes = peak_mb * kMb;
  return facts;
}

JudgeConfig Config() {
  JudgeConfig config;
  config.device = "cuda";
  return config.Completed();
}

TEST(MemoryNeed, GrowsWithTheTensorsAndIsBoundByTheArena) {
  const MemoryNeed small = NeedOf(Facts(1, 1, 1), Config());
  const MemoryNeed medium = NeedOf(Facts(64, 64, 64), Config());
  EXPECT_LT(small.sum(), medium.sum());
  // Two slots are the fewest: below the arena's limit or not, a large problem needs that much.
  const MemoryNeed large = NeedOf(Facts(4096, 4096, 4096), Config());
  EXPECT_GE(large.reference, 2 * 2 * 4096 * kMb);
}

TEST(MemoryNeed, CountsWhatACallTakesOnBothSides) {
  const MemoryNeed lean = NeedOf(Facts(64, 64, 0), Config());
  const MemoryNeed wide = NeedOf(Facts(64, 64, 2048), Config());
  EXPECT_GE(wide.reference - lean.reference, 2048 * kMb);
  EXPECT_GE(wide.candidate - lean.candidate, 2048 * kMb);
}

TEST(MemoryNeed, WhereTensorsAreDearNeitherSetsNorAnswersAreKept) {
  ProblemFacts facts = Facts(6144, 6144, 6144);
  facts.description = {{"dear", true}, {"made_again", true}};
  const MemoryNeed need = NeedOf(facts, Config());
  EXPECT_GE(need.reference, 4 * 6144 * kMb) << "two slots of the arena";
  EXPECT_GE(need.candidate, 2 * 6144 * kMb) << "its output, and one of before or a copy of its inputs";
  // 5.4 times the tensors of a call is what a card of 80 GB has for the largest problems of KernelBench.
  EXPECT_LT(need.sum(), 54 * (2 * 6144 * kMb) / 10);
  EXPECT_LT(need.sum(), NeedOf(Facts(6144, 6144, 6144), Config()).sum());
  facts.description["made_again"] = false;
  EXPECT_EQ(NeedOf(facts, Config()).reference - need.reference, 2 * 6144 * kMb) << "a set for each slot";
}

TEST(MemoryNeed, EveryHostThatMayBeThereHasItsContextSetAside) {
  const std::int64_t card = 80 * 1024 * kMb;
  EXPECT_EQ(Promisable(card, 0, 10) - Promisable(card, 0, 11), kContextBytes);
  EXPECT_EQ(Promisable(card, 0, 10) - Promisable(card, 5 * kMb, 10), 5 * kMb);
  EXPECT_EQ(Promisable(1024 * kMb, 0, 40), 1) << "a small card still promises something: one evaluation at a time";
}

}  // namespace
}  // namespace kgym::judge
