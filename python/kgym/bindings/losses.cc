// Losses with their gradients.
#include "aggregate.h"
#include "arrays.h"
#include "learn/kl.h"
#include "learn/kl_controller.h"
#include "learn/policy_loss.h"
#include "parts.h"

namespace kgym::python {
namespace {

using namespace nb::literals;

nb::tuple PolicyLoss(const Doubles& log_probs, const std::optional<Doubles>& old_log_probs, const Doubles& advantages,
                     const Marks& mask, const std::optional<Integers>& offsets, const std::optional<Doubles>& weights,
                     const std::string& objective, double clip_low, double clip_high, double dual_clip, double dro_beta,
                     double weight_cap, bool through_weight, const std::string& aggregation, double scale,
                     std::int64_t max_length, std::optional<std::int64_t> total_tokens,
                     std::optional<std::int64_t> total_rows, const std::optional<OutDoubles>& gradient) {
  using learn::Objective;
  const learn::PolicyLossOptions options{
      .objective = Pick<Objective>("objective", objective,
                                   {{"ppo-clip", Objective::kPpoClip},
                                    {"gspo", Objective::kGspo},
                                    {"cispo", Objective::kCispo},
                                    {"importance-sampling", Objective::kImportanceSampling},
                                    {"dro", Objective::kDro},
                                    {"cross-entropy", Objective::kCrossEntropy},
                                    {"rollout-correction", Objective::kRolloutCorrection}}),
      .clip_low = clip_low,
      .clip_high = clip_high,
      .dual_clip = dual_clip,
      .dro_beta = dro_beta,
      .weight_cap = weight_cap,
      .through_weight = through_weight,
      .aggregate = AggregateOf(aggregation, scale, max_length, total_tokens, total_rows)};
  const Tokens tokens(mask, offsets);
  tokens.Expect("log_probs", log_probs);
  tokens.ExpectTokensOrRows("advantages", advantages);
  Output slope(log_probs, gradient);
  const learn::PolicyLoss loss = Unlocked([&] {
    const learn::PolicyLossInput input{tokens.view(), View(log_probs), tokens.View("old_log_probs", old_log_probs),
                                       View(advantages), tokens.View("weights", weights)};
    return Check(learn::ComputePolicyLoss(input, options, slope.span()));
  });
  nb::dict metrics;
  metrics["clipped_high"] = loss.clipped_high;
  metrics["clipped_low"] = loss.clipped_low;
  metrics["clipped_dual"] = loss.clipped_dual;
  metrics["approximate_kl"] = loss.approximate_kl;
  return nb::make_tuple(loss.loss, slope.Finish(), metrics);
}

const std::map<std::string, learn::KlEstimator> kEstimators = {{"k1", learn::KlEstimator::kK1},
                                                               {"abs", learn::KlEstimator::kAbs},
                                                               {"k2", learn::KlEstimator::kK2},
                                                               {"k3", learn::KlEstimator::kK3}};

nb::tuple KlLoss(const Doubles& log_probs, const Doubles& reference, const Marks& mask,
                 const std::optional<Integers>& offsets, const std::string& estimator,
                 const std::optional<std::string>& gradient_of, double clamp, const std::string& aggregation,
                 double scale, std::int64_t max_length, std::optional<std::int64_t> total_tokens,
                 std::optional<std::int64_t> total_rows, const std::optional<OutDoubles>& gradient) {
  const learn::KlOptions options{Pick("estimator", estimator, kEstimators),
                                 Pick("gradient_of", gradient_of.value_or("k2"), kEstimators), clamp};
  const learn::AggregateOptions aggregate = AggregateOf(aggregation, scale, max_length, total_tokens, total_rows);
  const Tokens tokens(mask, offsets);
  tokens.Expect("log_probs", log_probs);
  tokens.Expect("reference", reference);
  Output slope(log_probs, gradient);
  const double loss = Unlocked([&] {
    return Check(learn::KlLoss(View(log_probs), View(reference), tokens.view(), options, aggregate, slope.span()));
  });
  return nb::make_tuple(loss, slope.Finish());
}

nb::object KlTokens(const Doubles& log_probs, const Doubles& reference, const Marks& mask,
                    const std::optional<Integers>& offsets, const std::string& estimator, double clamp,
                    const std::optional<OutDoubles>& out) {
  const learn::KlOptions options{.value_of = Pick("estimator", estimator, kEstimators), .clamp = clamp};
  const Tokens tokens(mask, offsets);
  tokens.Expect("log_probs", log_probs);
  tokens.Expect("reference", reference);
  Output result(log_probs, out);
  Unlocked([&] { Check(learn::KlTokens(View(log_probs), View(reference), tokens.view(), options, result.span())); });
  return result.Finish();
}

/// Fixed unless both target and horizon are given.
learn::KlController MakeKlController(double coefficient, std::optional<double> target, std::optional<double> horizon) {
  if (target.has_value() != horizon.has_value()) Fail(Error{"target and horizon go together"});
  if (!target) return learn::KlController::Fixed(coefficient);
  return Check(learn::KlController::Adaptive(coefficient, *target, *horizon));
}

void AddKlController(nb::module_& m) {
  using learn::KlController;
  nb::class_<KlController>(m, "KlController",
                           "The coefficient of a KL penalty: fixed, or with target and horizon steered towards a "
                           "divergence, coefficient *= 1 + clip(kl / target - 1, -0.2, 0.2) * steps / horizon, never "
                           "below 0 (Ziegler et al., arXiv 1909.08593).")
      .def(
          "__init__",
          [](KlController* self, double coefficient, std::optional<double> target, std::optional<double> horizon) {
            new (self) KlController(MakeKlController(coefficient, target, horizon));
          },
          "coefficient"_a, nb::kw_only(), "target"_a = nb::none(), "horizon"_a = nb::none(),
          "target: a divergence, horizon: steps; both above 0, or neither.")
      .def_prop_ro("coefficient", &KlController::coefficient, "As it is now.")
      .def(
          "update", [](KlController& self, double kl, std::int64_t steps) { Check(self.Update(kl, steps)); }, "kl"_a,
          "steps"_a = 1,
          "The divergence seen over the last `steps`. A ValueError where it is not finite; nothing changes then.")
      .def(
          "state", [](const KlController& self) { return DumpJson(self.State()); }, "JSON text.")
      .def_static(
          "from_state",
          [](const std::string& state) { return Check(KlController::FromState(Check(ParseJson(state, "state")))); },
          "state"_a);
}

}  // namespace

void AddLosses(nb::module_& m) {
  const auto none = nb::none();
  m.def(
      "policy_loss", &PolicyLoss, "log_probs"_a.noconvert(), "old_log_probs"_a.noconvert().none(),
      "advantages"_a.noconvert(), "mask"_a.noconvert(), "offsets"_a.noconvert() = none, nb::kw_only(),
      "weights"_a.noconvert() = none, "objective"_a = "ppo-clip", "clip_low"_a = 0.2, "clip_high"_a = 0.28,
      "dual_clip"_a = 3.0, "dro_beta"_a = 0.05, "weight_cap"_a = 2.0, "through_weight"_a = false,
      "aggregation"_a = "token-mean", "scale"_a = 1.0, "max_length"_a = 0, "total_tokens"_a = none,
      "total_rows"_a = none, "gradient"_a.noconvert() = none,
      "A policy loss and its gradient with respect to log_probs.\n\nlog_probs, old_log_probs, weights: float64[rows, "
      "columns] or flat with offsets; advantages: the same, or one for each row (flat arrays of as many tokens as rows "
      "are tokens); mask: bool. objective: ppo-clip, gspo, cispo, importance-sampling, dro, cross-entropy, "
      "rollout-correction. aggregation: token-mean, seq-mean-token-sum, seq-mean-token-mean, "
      "seq-mean-token-sum-norm, sum. total_tokens, total_rows: of the whole batch, where this is a part. Returns "
      "(loss, gradient, metrics); `gradient` may be an array to write to.\n"
      "Raises ValueError naming row and column.");
  m.def("kl_loss", &KlLoss, "log_probs"_a.noconvert(), "reference"_a.noconvert(), "mask"_a.noconvert(),
        "offsets"_a.noconvert() = none, nb::kw_only(), "estimator"_a = "k3", "gradient_of"_a = none, "clamp"_a = 0.0,
        "aggregation"_a = "token-mean", "scale"_a = 1.0, "max_length"_a = 0, "total_tokens"_a = none,
        "total_rows"_a = none, "gradient"_a.noconvert() = none,
        "An estimate of KL(policy || reference) and a gradient with respect to log_probs: (loss, gradient). The "
        "gradient is that of k2 unless gradient_of "
        "says otherwise: only k2's has the divergence's gradient as its expectation.");
  m.def("kl_tokens", &KlTokens, "log_probs"_a.noconvert(), "reference"_a.noconvert(), "mask"_a.noconvert(),
        "offsets"_a.noconvert() = none, nb::kw_only(), "estimator"_a = "k3", "clamp"_a = 0.0,
        "out"_a.noconvert() = none,
        "The estimate of each token, for a penalty in the reward; 0 where mask is not set.");
  AddKlController(m);
}

}  // namespace kgym::python
