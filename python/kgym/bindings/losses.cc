// Losses with their gradients.
#include "arrays.h"
#include "learn/kl.h"
#include "learn/policy_loss.h"
#include "parts.h"

namespace kgym::python {
namespace {

using namespace nb::literals;

learn::AggregateOptions AggregateOf(const std::string& mode, double scale, std::int64_t max_length,
                                    std::optional<std::int64_t> total_tokens, std::optional<std::int64_t> total_rows) {
  using learn::Aggregation;
  learn::AggregateOptions options{
      .mode = Pick<Aggregation>("aggregation", mode,
                                {{"token-mean", Aggregation::kTokenMean},
                                 {"seq-mean-token-sum", Aggregation::kSeqMeanTokenSum},
                                 {"seq-mean-token-mean", Aggregation::kSeqMeanTokenMean},
                                 {"seq-mean-token-sum-norm", Aggregation::kSeqMeanTokenSumNorm},
                                 {"sum", Aggregation::kSum}}),
      .scale = scale,
      .max_length = max_length};
  if (total_tokens.has_value() != total_rows.has_value()) Fail(Error{"total_tokens and total_rows go together"});
  if (total_tokens) options.totals = learn::BatchTotals{*total_tokens, *total_rows};
  return options;
}

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
  Output slope(log_probs, gradient);
  const learn::PolicyLoss loss = Unlocked([&] {
    const learn::PolicyLossInput input{tokens.view(), View(log_probs), View(old_log_probs), View(advantages),
                                       View(weights)};
    return Check(learn::ComputePolicyLoss(input, options, slope.span()));
  });
  nb::dict metrics;
  metrics["clipped_high"] = loss.clipped_high;
  metrics["clipped_low"] = loss.clipped_low;
  metrics["clipped_dual"] = loss.clipped_dual;
  metrics["approximate_kl"] = loss.approximate_kl;
  return nb::make_tuple(loss.loss, slope.Finish(), metrics);
}

nb::tuple KlLoss(const Doubles& log_probs, const Doubles& reference, const Marks& mask,
                 const std::optional<Integers>& offsets, const std::string& estimator,
                 const std::optional<std::string>& gradient_of, double clamp, const std::string& aggregation,
                 double scale, std::int64_t max_length, const std::optional<OutDoubles>& gradient) {
  using learn::KlEstimator;
  const std::map<std::string, KlEstimator> estimators = {
      {"k1", KlEstimator::kK1}, {"abs", KlEstimator::kAbs}, {"k2", KlEstimator::kK2}, {"k3", KlEstimator::kK3}};
  const learn::KlOptions options{Pick("estimator", estimator, estimators),
                                 Pick("gradient_of", gradient_of.value_or("k2"), estimators), clamp};
  const Tokens tokens(mask, offsets);
  Output slope(log_probs, gradient);
  const double loss = Unlocked([&] {
    return Check(learn::KlLoss(View(log_probs), View(reference), tokens.view(), options,
                               AggregateOf(aggregation, scale, max_length, {}, {}), slope.span()));
  });
  return nb::make_tuple(loss, slope.Finish());
}

}  // namespace

void AddLosses(nb::module_& m) {
  const auto none = nb::none();
  m.def("policy_loss", &PolicyLoss, "log_probs"_a.noconvert(), "old_log_probs"_a.noconvert().none(),
        "advantages"_a.noconvert(), "mask"_a.noconvert(), "offsets"_a.noconvert() = none, nb::kw_only(),
        "weights"_a.noconvert() = none, "objective"_a = "ppo-clip", "clip_low"_a = 0.2, "clip_high"_a = 0.28,
        "dual_clip"_a = 3.0, "dro_beta"_a = 0.05, "weight_cap"_a = 2.0, "through_weight"_a = false,
        "aggregation"_a = "token-mean", "scale"_a = 1.0, "max_length"_a = 0, "total_tokens"_a = none,
        "total_rows"_a = none, "gradient"_a.noconvert() = none,
        "A policy loss and its gradient with respect to log_probs.\n\nlog_probs, old_log_probs, weights: float64[rows, "
        "columns] or flat with "
        "offsets; advantages: the same, or one for each row; mask: bool. objective: ppo-clip, gspo, cispo, "
        "importance-sampling, dro, cross-entropy, "
        "rollout-correction. aggregation: token-mean, seq-mean-token-sum, seq-mean-token-mean, "
        "seq-mean-token-sum-norm, sum. total_tokens, total_rows: "
        "of the whole batch, where this is a part. Returns (loss, gradient, metrics); `gradient` may be an array to "
        "write to.\n"
        "Raises ValueError naming row and column.");
  m.def("kl_loss", &KlLoss, "log_probs"_a.noconvert(), "reference"_a.noconvert(), "mask"_a.noconvert(),
        "offsets"_a.noconvert() = none, nb::kw_only(), "estimator"_a = "k3", "gradient_of"_a = none, "clamp"_a = 0.0,
        "aggregation"_a = "token-mean", "scale"_a = 1.0, "max_length"_a = 0, "gradient"_a.noconvert() = none,
        "An estimate of KL(policy || reference) and a gradient with respect to log_probs: (loss, gradient). The "
        "gradient is that of k2 unless gradient_of "
        "says otherwise: only k2's has the divergence's gradient as its expectation.");
}

}  // namespace kgym::python
