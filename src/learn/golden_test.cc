// Every vector of tests/golden but the rewards'.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "base/files.h"
#include "learn/advantage_baseline.h"
#include "learn/advantage_grpo.h"
#include "learn/advantage_loo.h"
#include "learn/advantage_passk.h"
#include "learn/importance.h"
#include "learn/kl.h"
#include "learn/mismatch_metrics.h"
#include "learn/pass_at_k.h"
#include "learn/policy_loss.h"
#include "learn/prs.h"
#include "learn/rejection.h"
#include "learn/returns.h"
#include "learn/whiten.h"

namespace kgym::learn {
namespace {

template <class T>
std::vector<T> List(const Json& inputs, const char* name) {
  return inputs.at(name).get<std::vector<T>>();
}

Json Numbers(const std::vector<double>& values) { return values; }

/// One case's inputs in the forms that functions take.
struct Case {
  Json options, inputs;

  std::string option(const char* name) const { return options.at(name).get<std::string>(); }
  double number(const char* name) const { return options.at(name).get<double>(); }

  template <class T>
  T pick(const char* name, const std::map<std::string, T>& choices) const {
    return choices.at(option(name));
  }
};

struct RowsOf {
  explicit RowsOf(const Json& inputs)
      : trajectories(List<std::int64_t>(inputs, "trajectories")),
        turns(List<std::int64_t>(inputs, "turns")),
        kept(List<std::uint8_t>(inputs, "kept")) {}
  TurnRows view() const { return {trajectories, turns, kept}; }
  std::vector<std::int64_t> trajectories, turns;
  std::vector<std::uint8_t> kept;
};

struct TokensOf {
  explicit TokensOf(const Json& inputs)
      : offsets(List<std::int64_t>(inputs, "offsets")),
        trajectories(inputs.value("trajectories", std::vector<std::int64_t>())),
        mask(List<std::uint8_t>(inputs, "mask")),
        log_probs(List<double>(inputs, "log_probs")),
        old_log_probs(List<double>(inputs, "old_log_probs")),
        advantages(List<double>(inputs, "advantages")),
        weights(List<double>(inputs, "weights")) {}
  TokenRows tokens() const { return {offsets, mask}; }
  MismatchInput mismatch() const { return {tokens(), log_probs, old_log_probs, trajectories}; }
  std::vector<std::int64_t> offsets, trajectories;
  std::vector<std::uint8_t> mask;
  std::vector<double> log_probs, old_log_probs, advantages, weights;
};

Grouping GroupsOf(const Case& one, const std::string& by) {
  const RowsOf rows(one.inputs);
  const auto prompts = List<std::int64_t>(one.inputs, "prompts");
  return by == "turn" ? GroupBy(prompts, rows.turns, rows.kept).value() : GroupBy(prompts, rows.kept).value();
}

const std::map<std::string, Alone> kAlone = {{"zero", Alone::kZero}, {"return", Alone::kReturn}};
const std::map<std::string, WeightLevel> kLevels = {{"token", WeightLevel::kToken},
                                                    {"turn", WeightLevel::kTurn},
                                                    {"turn-geometric", WeightLevel::kTurnGeometric},
                                                    {"sequence", WeightLevel::kSequence},
                                                    {"geometric", WeightLevel::kGeometric}};

/// Runs `function(returns, out)`.
template <class Function>
Json OfReturns(const Case& one, Function function) {
  const auto returns = List<double>(one.inputs, "returns");
  std::vector<double> out(returns.size());
  function(std::span<const double>(returns), std::span<double>(out)).value();
  return Numbers(out);
}

Json RunReturns(const Case& one) {
  const auto rewards = List<double>(one.inputs, "rewards");
  std::vector<double> out(rewards.size());
  const auto of =
      one.pick<ReturnOf>("of", {{"sum", ReturnOf::kSum}, {"max", ReturnOf::kMax}, {"last", ReturnOf::kLast}});
  Returns(rewards, RowsOf(one.inputs).view(), {.gamma = one.number("gamma"), .of = of}, out).value();
  return Numbers(out);
}

Json RunLeaveOneOut(const Case& one) {
  const LooOptions options{.alone = one.pick("alone", kAlone),
                           .scale = one.option("scale") == "none" ? LooScale::kNone : LooScale::kStandardDeviation};
  return OfReturns(one,
                   [&](auto in, auto out) { return LeaveOneOut(in, GroupsOf(one, one.option("by")), options, out); });
}

Json RunLeaveEpisodeOut(const Case& one) {
  return OfReturns(one, [&](auto in, auto out) {
    return LeaveEpisodeOut(in, RowsOf(one.inputs).trajectories, GroupsOf(one, "prompt"), {}, out);
  });
}

Json RunGroupRelative(const Case& one) {
  const GrpoOptions options{.scale = one.option("scale") == "none" ? GroupScale::kNone : GroupScale::kStandardDeviation,
                            .alone = one.pick("alone", kAlone)};
  return OfReturns(one,
                   [&](auto in, auto out) { return GroupRelative(in, GroupsOf(one, one.option("by")), options, out); });
}

Json RunGpg(const Case& one) {
  return OfReturns(
      one, [&](auto in, auto out) { return GpgAdvantages(in, GroupsOf(one, "prompt"), Alone::kReturn, 1, out); });
}

Json RunWeightedBaseline(const Case& one) {
  const auto weights = List<double>(one.inputs, "weights");
  const auto from = one.option("from") == "group" ? BaselineFrom::kAllOfGroup : BaselineFrom::kOthers;
  return OfReturns(one, [&](auto in, auto out) {
    return WeightedBaseline(in, weights, GroupsOf(one, "prompt"), from, Alone::kZero, out);
  });
}

Json RunBestOfGroup(const Case& one) {
  const auto scale = one.option("scale") == "none" ? PasskScale::kNone : PasskScale::kStandardDeviation;
  return OfReturns(one, [&](auto in, auto out) { return BestOfGroup(in, GroupsOf(one, "prompt"), scale, out); });
}

Json RunPassAtKAdvantages(const Case& one) {
  return OfReturns(one, [&](auto in, auto out) {
    return PassAtKAdvantages(in, GroupsOf(one, "prompt"), one.options.at("k").get<int>(), 1, out);
  });
}

Json RunWhiten(const Case& one) {
  const WhitenOptions options{.epsilon = one.number("epsilon"), .variance_epsilon = one.number("variance_epsilon")};
  return OfReturns(one, [&](auto in, auto out) { return Whiten(in, RowsOf(one.inputs).kept, {}, options, out); });
}

Json RunPolicyLoss(const Case& one) {
  const TokensOf data(one.inputs);
  const std::string objective = one.option("objective");
  PolicyLossOptions options{
      .objective =
          std::map<std::string, Objective>{{"ppo-clip", Objective::kPpoClip},
                                           {"gspo", Objective::kGspo},
                                           {"cispo", Objective::kCispo},
                                           {"importance-sampling", Objective::kImportanceSampling},
                                           {"dro", Objective::kDro},
                                           {"cross-entropy", Objective::kCrossEntropy},
                                           {"rollout-correction", Objective::kRolloutCorrection},
                                           {"rollout-correction-through-weight", Objective::kRolloutCorrection}}
              .at(objective),
      .through_weight = objective == "rollout-correction-through-weight"};
  options.aggregate.mode =
      one.pick<Aggregation>("mode", {{"token-mean", Aggregation::kTokenMean},
                                     {"seq-mean-token-sum", Aggregation::kSeqMeanTokenSum},
                                     {"seq-mean-token-mean", Aggregation::kSeqMeanTokenMean},
                                     {"seq-mean-token-sum-norm", Aggregation::kSeqMeanTokenSumNorm},
                                     {"sum", Aggregation::kSum}});
  options.aggregate.scale = one.number("scale");
  options.aggregate.max_length = one.options.at("max_length").get<std::int64_t>();
  std::vector<double> gradient(data.mask.size());
  const PolicyLossInput input{data.tokens(), data.log_probs, data.old_log_probs, data.advantages, data.weights};
  return {{"loss", ComputePolicyLoss(input, options, gradient)->loss}, {"gradient", gradient}};
}

Json RunKlLoss(const Case& one) {
  const std::map<std::string, KlEstimator> estimators = {
      {"k1", KlEstimator::kK1}, {"abs", KlEstimator::kAbs}, {"k2", KlEstimator::kK2}, {"k3", KlEstimator::kK3}};
  const TokensOf data(one.inputs);
  std::vector<double> gradient(data.mask.size());
  const KlOptions options{.value_of = one.pick("value_of", estimators),
                          .gradient_of = one.pick("gradient_of", estimators)};
  const double loss = KlLoss(data.log_probs, data.old_log_probs, data.tokens(), options, {}, gradient).value();
  return {{"loss", loss}, {"gradient", gradient}};
}

ImportanceOptions ImportanceOf(const Case& one) {
  const bool masks = one.options.value("outside", "truncate") == "mask";
  return {.level = one.options.contains("level") ? one.pick("level", kLevels) : WeightLevel::kToken,
          .lower = one.number("lower"),
          .upper = one.number("upper"),
          .outside = masks ? OutOfBounds::kMask : OutOfBounds::kTruncate};
}

Json RunImportance(const Case& one) {
  const TokensOf data(one.inputs);
  std::vector<double> weights(data.mask.size());
  ImportanceWeights(data.mismatch(), ImportanceOf(one), weights).value();
  return Numbers(weights);
}

Json RunReject(const Case& one) {
  const TokensOf data(one.inputs);
  std::vector<std::uint8_t> accepted(data.mask.size());
  const RejectionOptions options{one.pick("level", kLevels), one.number("lower"), one.number("upper")};
  RejectOutside(data.mismatch(), options, accepted).value();
  return accepted;
}

Json RunMismatchMetrics(const Case& one) {
  const Json all = MeasureMismatch(TokensOf(one.inputs).mismatch())->ToJson();
  return all;
}

Json RunEffectiveSampleShare(const Case& one) {
  const TokensOf data(one.inputs);
  std::vector<double> weights(data.mask.size());
  ImportanceWeights(data.mismatch(), ImportanceOf(one), weights).value();
  const double measured = MeasureWeights(data.mismatch(), WeightLevel::kToken, one.number("lower"), one.number("upper"))
                              ->effective_sample_share;
  EXPECT_NEAR(measured, EffectiveSampleShare(weights, data.tokens()), 1e-12);
  return measured;
}

Json RunPassAtK(const Case& one) {
  const auto input = [&](const char* name) { return one.inputs.at(name).get<std::int64_t>(); };
  return 1 - FailAtK(input("n"), input("solved"), input("k"));
}

Json RunKeepProbability(const Case& one) {
  return KeepProbability(one.inputs.at("coverage").get<double>(),
                         {.threshold = one.number("threshold"), .ramp = one.number("ramp")});
}

const std::map<std::string, std::function<Json(const Case&)>> kFunctions = {
    {"returns", RunReturns},
    {"leave_one_out", RunLeaveOneOut},
    {"leave_episode_out", RunLeaveEpisodeOut},
    {"group_relative", RunGroupRelative},
    {"gpg", RunGpg},
    {"weighted_baseline", RunWeightedBaseline},
    {"best_of_group", RunBestOfGroup},
    {"pass_at_k_advantages", RunPassAtKAdvantages},
    {"whiten", RunWhiten},
    {"policy_loss", RunPolicyLoss},
    {"kl_loss", RunKlLoss},
    {"importance", RunImportance},
    {"reject", RunReject},
    {"mismatch_metrics", RunMismatchMetrics},
    {"effective_sample_share", RunEffectiveSampleShare},
    {"pass_at_k", RunPassAtK},
    {"keep_probability", RunKeepProbability},
};

/// Compares numbers within `tolerance`, lists and the expected fields of objects one by one.
void ExpectNear(const Json& got, const Json& expected, double tolerance, const std::string& where) {
  if (expected.is_object()) {
    for (const auto& [name, value] : expected.items()) {
      ASSERT_TRUE(got.contains(name)) << where << " lacks " << name;
      ExpectNear(got.at(name), value, tolerance, where + "." + name);
    }
  } else if (expected.is_array()) {
    ASSERT_EQ(got.size(), expected.size()) << where;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ExpectNear(got[i], expected[i], tolerance, where + "[" + std::to_string(i) + "]");
    }
  } else {
    const double value = expected.get<double>();
    EXPECT_NEAR(got.get<double>(), value, tolerance * std::max(1.0, std::abs(value))) << where;
  }
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, EveryVectorHolds) {
  const auto path = std::filesystem::path(KGYM_GOLDEN_DIR) / GetParam();
  const Json document = ParseJson(ReadFile(path).value(), path.string()).value();
  ASSERT_GT(document.at("cases").size(), 5u);
  for (const Json& one : document.at("cases")) {
    const auto function = one.at("function").get<std::string>();
    ASSERT_TRUE(kFunctions.contains(function)) << function;
    const Json got = kFunctions.at(function)({one.at("options"), one.at("inputs")});
    ExpectNear(got, one.at("output"), one.value("tolerance", 1e-12), one.at("name").get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Nouns, Golden,
                         testing::Values("advantages.json", "losses.json", "kl.json", "mismatch.json", "metrics.json"));

}  // namespace
}  // namespace kgym::learn
