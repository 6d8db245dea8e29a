#include "learn/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "learn/oversample.h"

namespace kgym::learn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::size_t> Draw(PromptSampler& sampler, std::size_t count) {
  std::vector<std::size_t> prompts;
  for (std::size_t i = 0; i < count; ++i) prompts.push_back(sampler.Next());
  return prompts;
}

TEST(PromptSampler, UniformTakesEachOnceAnEpoch) {
  PromptSampler sampler = PromptSampler::Create({}, 5, 1).value();
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<std::size_t> prompts = Draw(sampler, 5);
    std::ranges::sort(prompts);
    EXPECT_THAT(prompts, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_EQ(sampler.epoch(), epoch);
  }
}

TEST(PromptSampler, ResumesWithTheSamePrompts) {
  for (SamplePolicy policy :
       {SamplePolicy::kUniform, SamplePolicy::kPrioritized, SamplePolicy::kModerate, SamplePolicy::kRefresh}) {
    const SamplerOptions options{.policy = policy, .propagation = 0.5};
    PromptSampler sampler = PromptSampler::Create(options, 20, 3).value();
    Draw(sampler, 27);
    ASSERT_TRUE(sampler.Observe(std::vector<std::size_t>{1, 2}, std::vector<double>{0.9, 0.1}).ok());
    const Json saved = ParseJson(DumpJson(sampler.State())).value();  // Through text, as a checkpoint goes.
    PromptSampler resumed = PromptSampler::FromState(options, saved).value();
    EXPECT_EQ(Draw(resumed, 50), Draw(sampler, 50));
  }
}

TEST(PromptSampler, PrioritizedPassesOverWhatIsSolved) {
  constexpr std::size_t kPrompts = 40;  // Even ones are solved nine times in ten, odd ones one time in ten.
  PromptSampler sampler = PromptSampler::Create({.policy = SamplePolicy::kPrioritized}, kPrompts, 5).value();
  std::vector<std::size_t> all(kPrompts);
  std::vector<double> rates(kPrompts);
  for (std::size_t prompt = 0; prompt < kPrompts; ++prompt) {
    all[prompt] = prompt;
    rates[prompt] = prompt % 2 == 0 ? 0.9 : 0.1;
  }
  ASSERT_TRUE(sampler.Observe(all, rates).ok());
  const auto prompts = Draw(sampler, 4000);
  const auto solved = std::ranges::count_if(prompts, [](std::size_t prompt) { return prompt % 2 == 0; });
  EXPECT_NEAR(static_cast<double>(solved) / 4000, 0.1, 0.02);  // 4 standard errors.
}

TEST(PromptSampler, EndsThoughEveryPromptIsSolved) {
  PromptSampler sampler = PromptSampler::Create({.policy = SamplePolicy::kPrioritized, .unseen_rate = 1}, 3, 5).value();
  EXPECT_EQ(Draw(sampler, 10).size(), 10u);
}

TEST(PromptSampler, TakeProbabilities) {
  const SamplerOptions moderate{.policy = SamplePolicy::kModerate};
  EXPECT_DOUBLE_EQ(TakeProbability(moderate, 0.5, 0), 1);
  EXPECT_DOUBLE_EQ(TakeProbability(moderate, 0.04, 0), 0.05 * 0.96);
  EXPECT_DOUBLE_EQ(TakeProbability(moderate, 0.96, 0), 0.1 * 0.04);
  const SamplerOptions refresh{.policy = SamplePolicy::kRefresh};
  EXPECT_DOUBLE_EQ(TakeProbability(refresh, 0.5, 0), 0.9);
  EXPECT_DOUBLE_EQ(TakeProbability(refresh, 0.5, 7), 1.0);
  EXPECT_DOUBLE_EQ(TakeProbability(refresh, 0.7, 0), 0.9 * std::exp(-0.5));
}

TEST(PromptSampler, WhatWasLearntIsCreditedToTheRest) {
  PromptSampler sampler = PromptSampler::Create({.policy = SamplePolicy::kRefresh, .propagation = 0.5}, 3, 5).value();
  ASSERT_TRUE(sampler.Observe(std::vector<std::size_t>{0}, std::vector<double>{0.9}).ok());
  EXPECT_DOUBLE_EQ(sampler.solve_rate(0), 0.9);
  EXPECT_DOUBLE_EQ(sampler.solve_rate(1), 0.7);
}

TEST(PromptSampler, ErrorsNameThePrompt) {
  PromptSampler sampler = PromptSampler::Create({}, 3, 5).value();
  EXPECT_THAT(sampler.Observe(std::vector<std::size_t>{7}, std::vector<double>{1}).error().message,
              HasSubstr("prompt 7 of 3 is unknown"));
  EXPECT_THAT(sampler.Observe(std::vector<std::size_t>{1}, std::vector<double>{1.5}).error().message,
              HasSubstr("rate of prompt 1 is 1.5"));
  Json state = sampler.State();
  state["order"][0] = 1;
  state["order"][1] = 1;
  EXPECT_THAT(PromptSampler::FromState({}, state).error().message, HasSubstr("no permutation"));
  EXPECT_FALSE(PromptSampler::FromState({}, Json::object()).ok());
}

TEST(Oversampler, TakesMoreOfWhatIsFiltered) {
  Oversampler oversampler = Oversampler::Create({.target = 2, .multiple = 2}).value();
  EXPECT_FALSE(oversampler.Add(0));
  EXPECT_TRUE(oversampler.Add(1));
  for (std::int64_t prompt : {0, 1, 2, 3}) oversampler.Observe(prompt, 0.5).value();
  EXPECT_FALSE(oversampler.Add(0));
  EXPECT_FALSE(oversampler.Add(1));
  Oversampler resumed = Oversampler::FromState({.target = 2, .multiple = 2}, oversampler.State()).value();
  EXPECT_FALSE(resumed.Add(2));
  EXPECT_TRUE(resumed.Add(3));
}

TEST(Oversampler, ABatchOfHopelessPromptsEnds) {
  Oversampler oversampler = Oversampler::Create({.target = 1}).value();
  oversampler.Observe(0, 1).value();
  int added = 1;
  while (!oversampler.Add(0)) ++added;
  EXPECT_EQ(added, 20);
}

TEST(Refill, HandsOutTheOldestAndDropsTheStale) {
  Refill refill(1);
  for (std::int64_t row : {10, 11, 12}) refill.Add(row, 0);
  refill.Add(13, 1);
  EXPECT_THAT(refill.Take(5, 1), ElementsAre());
  EXPECT_THAT(refill.Take(2, 1), ElementsAre(10, 11));
  Refill resumed = Refill::FromState(refill.State()).value();
  EXPECT_THAT(resumed.Take(1, 2), ElementsAre(13));  // 12 is two steps old.
  EXPECT_EQ(resumed.dropped(), 1);
}

}  // namespace
}  // namespace kgym::learn
