#include "learn/mismatch_metrics.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "learn/moments.h"
#include "learn/ratio.h"

namespace kgym::learn {
namespace {

/// Bounded to e^300: a row of tokens that cannot be may have any, and the mean is to stay a number.
double Perplexity(double log_perplexity) { return std::exp(std::min(log_perplexity, 300.0)); }

double Bounded(double log) { return std::clamp(log, -kRatioBound, kRatioBound); }

/// Sums over one row's tokens.
struct RowSum {
  double train = 0, rollout = 0, count = 0;
};

class Collector {
 public:
  void Token(double difference) {
    kl_.Add(-difference);
    const double d = Bounded(difference);
    k3_.Add(std::expm1(d) - d);
    chi2_.Add(std::expm1(2 * d));
  }

  void Row(const RowSum& sum) {
    if (sum.count == 0) return;
    const double train = -sum.train / sum.count, rollout = -sum.rollout / sum.count;
    train_log_.Add(train);
    rollout_log_.Add(rollout);
    train_ppl_.Add(Perplexity(train));
    rollout_ppl_.Add(Perplexity(rollout));
    difference_.Add(train - rollout);
    absolute_.Add(std::abs(train - rollout));
    ratio_.Add(std::exp(Bounded(train - rollout)));
    chi2_row_.Add(std::expm1(2 * Bounded(sum.train - sum.rollout)));
  }

  MismatchMetrics Finish() const {
    return {.kl = kl_.mean(),
            .k3 = k3_.mean(),
            .chi2_token = chi2_.mean(),
            .chi2_seq = chi2_row_.mean(),
            .training_ppl = train_ppl_.mean(),
            .rollout_ppl = rollout_ppl_.mean(),
            .training_log_ppl = train_log_.mean(),
            .rollout_log_ppl = rollout_log_.mean(),
            .log_ppl_difference = difference_.mean(),
            .log_ppl_abs_difference = absolute_.mean(),
            .log_ppl_max_difference = difference_.max(),
            .log_ppl_min_difference = difference_.min(),
            .ppl_ratio = ratio_.mean()};
  }

 private:
  Moments kl_, k3_, chi2_, chi2_row_, train_ppl_, rollout_ppl_, train_log_, rollout_log_, difference_, absolute_,
      ratio_;
};

}  // namespace

Json MismatchMetrics::ToJson() const {
  return {{"kl", kl},
          {"k3", k3},
          {"chi2_token", chi2_token},
          {"chi2_seq", chi2_seq},
          {"training_ppl", training_ppl},
          {"rollout_ppl", rollout_ppl},
          {"training_log_ppl", training_log_ppl},
          {"rollout_log_ppl", rollout_log_ppl},
          {"log_ppl_difference", log_ppl_difference},
          {"log_ppl_abs_difference", log_ppl_abs_difference},
          {"log_ppl_max_difference", log_ppl_max_difference},
          {"log_ppl_min_difference", log_ppl_min_difference},
          {"ppl_ratio", ppl_ratio}};
}

Result<MismatchMetrics> MeasureMismatch(const MismatchInput& input) {
  KGYM_TRY_VOID(CheckMismatch(input));
  Collector collector;
  for (std::size_t row = 0; row < input.tokens.rows(); ++row) {
    RowSum sum;
    for (std::size_t i = input.tokens.begin(row); i < input.tokens.end(row); ++i) {
      if (input.tokens.mask.data()[i] == 0) continue;
      sum.train += input.train_log_probs.data()[i];
      sum.rollout += input.rollout_log_probs.data()[i];
      ++sum.count;
      collector.Token(input.difference(i));
    }
    collector.Row(sum);
  }
  return collector.Finish();
}

Json WeightMetrics::ToJson() const {
  return {{"mean", mean},
          {"max", max},
          {"min", min},
          {"std", standard_deviation},
          {"eff_sample_size", effective_sample_share},
          {"ratio_fraction_high", share_high},
          {"ratio_fraction_low", share_low},
          {"seq_mean", row_mean},
          {"seq_max", row_max},
          {"seq_min", row_min},
          {"seq_std", row_standard_deviation},
          {"seq_max_deviation", row_max_deviation}};
}

Result<WeightMetrics> MeasureWeights(const MismatchInput& input, WeightLevel level, double lower, double upper) {
  KGYM_TRY_VOID(CheckMismatch(input));
  if (!(lower <= upper)) return Error{Concat("bounds are ", lower, " and ", upper, "; lower <= upper is expected")};
  const bool by_token = level == WeightLevel::kToken;
  const std::vector<double> logs = by_token ? std::vector<double>() : RowLogWeights(input, level);
  Moments tokens, rows, clamped, high, low;
  for (std::size_t row = 0; row < input.tokens.rows(); ++row) {
    Moments of_row;
    for (std::size_t i = input.tokens.begin(row); i < input.tokens.end(row); ++i) {
      if (input.tokens.mask.data()[i] == 0) continue;
      const double weight = by_token ? RatioOf(input.difference(i)).value : std::exp(logs[row]);
      of_row.Add(weight);
      tokens.Add(weight);
      clamped.Add(std::clamp(weight, lower, upper));
      high.Add(weight > upper);
      low.Add(weight < lower);
    }
    if (of_row.count() > 0) rows.Add(of_row.mean());
  }
  const double squares = clamped.mean() * clamped.mean() + clamped.population_variance();
  return WeightMetrics{.mean = tokens.mean(),
                       .max = tokens.max(),
                       .min = tokens.min(),
                       .standard_deviation = std::sqrt(tokens.population_variance()),
                       .effective_sample_share = squares == 0 ? 0 : clamped.mean() * clamped.mean() / squares,
                       .share_high = high.mean(),
                       .share_low = low.mean(),
                       .row_mean = rows.mean(),
                       .row_max = rows.max(),
                       .row_min = rows.min(),
                       .row_standard_deviation = std::sqrt(rows.variance()),
                       .row_max_deviation = std::max(std::abs(rows.max() - 1), std::abs(rows.min() - 1))};
}

}  // namespace kgym::learn
