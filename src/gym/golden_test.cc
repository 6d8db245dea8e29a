// The vectors of tests/golden/rewards.json, and that infra never has a reward.
#include <gtest/gtest.h>

#include "base/config.h"
#include "base/files.h"
#include "gym/reward.h"

namespace kgym::gym {
namespace {

std::optional<double> NumberOf(const Json& facts, const char* name) {
  return facts.contains(name) ? std::optional(facts.at(name).get<double>()) : std::nullopt;
}

RewardFacts FactsFrom(const Json& json) {
  RewardFacts facts;
  for (OutcomeKind kind : {OutcomeKind::kOk, OutcomeKind::kFail, OutcomeKind::kRejected, OutcomeKind::kInfra}) {
    if (ToString(kind) == json.at("outcome").get<std::string>()) facts.outcome = kind;
  }
  facts.format_ok = json.value("format_ok", false);
  facts.compiled = json.value("compiled", false);
  facts.correct = json.value("correct", false);
  facts.tests_passed = json.value("tests_passed", 0);
  facts.tests_total = json.value("tests_total", 0);
  facts.speedup = NumberOf(json, "speedup");
  facts.speedup_low = NumberOf(json, "speedup_low");
  facts.speedup_high = NumberOf(json, "speedup_high");
  facts.coverage = NumberOf(json, "coverage");
  facts.code_length = json.value("code_length", 0);
  facts.thinking_length = json.value("thinking_length", 0);
  facts.has_thinking = json.value("has_thinking", false);
  return facts;
}

/// The config that a case's options describe, through the same door as a user's.
RewardConfig ConfigFrom(const Json& options) {
  RewardConfig config;
  ConfigFields fields(config);
  fields.Set("preset", options.at("preset").get<std::string>()).value();
  for (const auto& [key, value] : options.at("set").items()) {
    fields.Set(key, value.is_string() ? value.get<std::string>() : value.dump()).value();
  }
  return config;
}

TEST(RewardGolden, EveryVectorHolds) {
  const auto path = std::filesystem::path(KGYM_GOLDEN_DIR) / "rewards.json";
  const Json document = ParseJson(ReadFile(path).value(), path.string()).value();
  ASSERT_GT(document.at("cases").size(), 30u);
  for (const Json& one : document.at("cases")) {
    const RewardFunction function = RewardFunction::Create(ConfigFrom(one.at("options"))).value();
    const std::optional<Reward> reward = function(FactsFrom(one.at("inputs"))).value();
    const auto name = one.at("name").get<std::string>();
    ASSERT_EQ(reward.has_value(), !one.at("output").is_null()) << name;
    if (!reward) continue;
    EXPECT_NEAR(reward->total, one.at("output").get<double>(), 1e-12) << name;
  }
}

}  // namespace
}  // namespace kgym::gym
