#include "learn/policy_loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "learn/check_input.h"
#include "learn/ratio.h"

namespace kgym::learn {
namespace {

struct TokenLoss {
  double loss = 0;
  double slope = 0;  // With respect to the log-probability; for kGspo, to the row's mean of d.
};

struct ClipCounts {
  std::int64_t high = 0, low = 0, dual = 0;
};

TokenLoss PpoClip(double advantage, Ratio ratio, const PolicyLossOptions& options, ClipCounts& counts) {
  const double r = ratio.value;
  const double free = -advantage * r;
  const double bound = -advantage * std::clamp(r, 1 - options.clip_low, 1 + options.clip_high);
  TokenLoss token = free >= bound ? TokenLoss{free, -advantage * ratio.slope} : TokenLoss{bound, 0};
  const double dual_bound = -advantage * options.dual_clip;
  const bool dual = options.dual_clip > 0 && advantage < 0 && dual_bound < token.loss;
  if (dual) token = {dual_bound, 0};
  counts.dual += dual;
  counts.high += r > 1 + options.clip_high && !dual;
  counts.low += r < 1 - options.clip_low || dual;
  return token;
}

TokenLoss Cispo(double advantage, Ratio ratio, double log_prob, const PolicyLossOptions& options, ClipCounts& counts) {
  const double fixed = std::clamp(ratio.value, 1 - options.clip_low, 1 + options.clip_high);
  counts.high += ratio.value > 1 + options.clip_high;
  counts.low += ratio.value < 1 - options.clip_low;
  return {-fixed * advantage * log_prob, -fixed * advantage};
}

TokenLoss RolloutCorrection(double advantage, Ratio ratio, double log_prob, const PolicyLossOptions& options) {
  const double weight = std::min(ratio.value, options.weight_cap);
  const double weight_slope = ratio.value < options.weight_cap ? ratio.slope : 0;
  const double through = options.through_weight ? weight_slope * log_prob : 0;
  return {-weight * advantage * log_prob, -advantage * (weight + through)};
}

TokenLoss LossOfToken(double advantage, double log_prob, double old_log_prob, const PolicyLossOptions& options,
                      ClipCounts& counts) {
  const double difference = log_prob - old_log_prob;
  switch (options.objective) {
    case Objective::kPpoClip:
      return PpoClip(advantage, RatioOf(difference), options, counts);
    case Objective::kCispo:
      return Cispo(advantage, RatioOf(difference), log_prob, options, counts);
    case Objective::kImportanceSampling: {
      const Ratio ratio = RatioOf(difference);
      return {-ratio.value * advantage, -ratio.slope * advantage};
    }
    case Objective::kDro:
      return {-(advantage * log_prob - options.dro_beta / 2 * difference * difference),
              -(advantage - options.dro_beta * difference)};
    case Objective::kRolloutCorrection:
      return RolloutCorrection(advantage, RatioOf(difference), log_prob, options);
    case Objective::kGspo:  // Has its own way through a row.
    case Objective::kCrossEntropy:
      return {-advantage * log_prob, -advantage};
  }
  return {};
}

Status CheckOptions(const PolicyLossOptions& options) {
  KGYM_TRY_VOID(CheckRange("clip_low", options.clip_low, 0, 1));
  KGYM_TRY_VOID(CheckRange("clip_high", options.clip_high, 0, 1e6));
  KGYM_TRY_VOID(CheckRange("dro_beta", options.dro_beta, 0, 1e6));
  KGYM_TRY_VOID(CheckRange("weight_cap", options.weight_cap, 0, 1e9));
  if (options.dual_clip == 0 || options.dual_clip > 1) return Ok();
  return Error{Concat("dual_clip is ", options.dual_clip, "; more than 1 is expected, or 0 for none")};
}

Status CheckInput(const PolicyLossInput& input, const PolicyLossOptions& options, std::span<const double> gradient) {
  KGYM_TRY_VOID(CheckTokenRows(input.tokens));
  KGYM_TRY_VOID(CheckTokens("log_probs", input.log_probs, input.tokens));
  if (options.objective != Objective::kCrossEntropy || !input.old_log_probs.empty()) {
    KGYM_TRY_VOID(CheckTokens("old_log_probs", input.old_log_probs, input.tokens));
  }
  if (!input.weights.empty()) KGYM_TRY_VOID(CheckTokens("weights", input.weights, input.tokens));
  if (!gradient.empty()) KGYM_TRY_VOID(CheckLength("gradient", gradient.size(), input.tokens.tokens()));
  if (input.advantages.size() == input.tokens.tokens())
    return CheckTokens("advantages", input.advantages, input.tokens);
  return CheckRows("advantages", input.advantages, input.tokens.rows());
}

/// One pass over the rows; adds up as it goes.
class Pass {
 public:
  Pass(const PolicyLossInput& input, const PolicyLossOptions& options, std::span<double> gradient)
      : input_(input),
        options_(options),
        gradient_(gradient.empty() ? nullptr : gradient.data()),
        mask_(input.tokens.mask.data()),
        by_token_(input.advantages.size() == input.tokens.tokens()) {}

  void Row(std::size_t row, double weight) {
    options_.objective == Objective::kGspo ? WholeRow(row, weight) : EachToken(row, weight);
  }

  PolicyLoss Finish() const {
    const double count = static_cast<double>(std::max<std::int64_t>(tokens_, 1));
    return {loss_, static_cast<double>(counts_.high) / count, static_cast<double>(counts_.low) / count,
            static_cast<double>(counts_.dual) / count, kl_ / count};
  }

 private:
  double AdvantageOf(std::size_t row, std::size_t token) const {
    return input_.advantages.data()[by_token_ ? token : row];
  }
  double WeightOf(std::size_t token) const { return input_.weights.empty() ? 1 : input_.weights.data()[token]; }
  double OldOf(std::size_t token) const {
    return input_.old_log_probs.empty() ? input_.log_probs.data()[token] : input_.old_log_probs.data()[token];
  }
  void Count(std::size_t token) {
    ++tokens_;
    kl_ += OldOf(token) - input_.log_probs.data()[token];
  }

  void EachToken(std::size_t row, double weight) {
    for (std::size_t i = input_.tokens.begin(row); i < input_.tokens.end(row); ++i) {
      if (mask_[i] == 0) {
        if (gradient_ != nullptr) gradient_[i] = 0;
        continue;
      }
      Count(i);
      const TokenLoss token = LossOfToken(AdvantageOf(row, i), input_.log_probs.data()[i], OldOf(i), options_, counts_);
      const double factor = weight * WeightOf(i);
      loss_ += factor * token.loss;
      if (gradient_ != nullptr) gradient_[i] = factor * token.slope;
    }
  }

  /// All tokens share one ratio, and each moves it by 1 / length.
  void WholeRow(std::size_t row, double weight) {
    const std::size_t begin = input_.tokens.begin(row), end = input_.tokens.end(row);
    double difference = 0, slope = 0;
    std::int64_t length = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (mask_[i] == 0) continue;
      Count(i);
      difference += input_.log_probs.data()[i] - OldOf(i);
      ++length;
    }
    const Ratio ratio = RatioOf(length == 0 ? 0 : difference / static_cast<double>(length));
    for (std::size_t i = begin; i < end; ++i) {
      if (mask_[i] == 0) continue;
      const TokenLoss token = PpoClip(AdvantageOf(row, i), ratio, options_, counts_);
      loss_ += weight * WeightOf(i) * token.loss;
      slope += weight * WeightOf(i) * token.slope;
    }
    if (gradient_ == nullptr) return;
    const double share = length == 0 ? 0 : slope / static_cast<double>(length);
    for (std::size_t i = begin; i < end; ++i) gradient_[i] = mask_[i] != 0 ? share : 0;
  }

  const PolicyLossInput& input_;
  const PolicyLossOptions& options_;
  double* gradient_;
  const std::uint8_t* mask_;
  bool by_token_;
  double loss_ = 0, kl_ = 0;
  std::int64_t tokens_ = 0;
  ClipCounts counts_;
};

}  // namespace

Result<PolicyLoss> ComputePolicyLoss(const PolicyLossInput& input, const PolicyLossOptions& options,
                                     std::span<double> gradient) {
  KGYM_TRY_VOID(CheckOptions(options));
  KGYM_TRY_VOID(CheckInput(input, options, gradient));
  KGYM_TRY(const std::vector<double> weights, RowWeights(input.tokens, options.aggregate));
  Pass pass(input, options, gradient);
  for (std::size_t row = 0; row < input.tokens.rows(); ++row) pass.Row(row, weights[row]);
  return pass.Finish();
}

}  // namespace kgym::learn
