// Entropies, and the token filters that go by them.
#include "learn/entropy.h"

#include "aggregate.h"
#include "arrays.h"
#include "learn/token_filter.h"
#include "parts.h"

namespace kgym::python {
namespace {

using namespace nb::literals;

/// The last dimension of logits that fit the tokens.
std::size_t VocabularyOf(const Doubles& logits, const Tokens& tokens) {
  tokens.Expect("logits", logits, 1);
  return logits.shape(logits.ndim() - 1);
}

nb::tuple Entropies(const Doubles& logits, const Marks& mask, const std::optional<Integers>& offsets) {
  const Tokens tokens(mask, offsets);
  const std::size_t vocabulary = VocabularyOf(logits, tokens);
  Output entropies(mask), squares(mask);
  Unlocked([&] { Check(learn::Entropies(View(logits), vocabulary, tokens.view(), entropies.span(), squares.span())); });
  return nb::make_tuple(entropies.Finish(), squares.Finish());
}

nb::tuple EntropyBonus(const Doubles& logits, const Marks& mask, const std::optional<Integers>& offsets,
                       const std::string& aggregation, double scale, std::int64_t max_length,
                       std::optional<std::int64_t> total_tokens, std::optional<std::int64_t> total_rows,
                       const std::optional<OutDoubles>& gradient) {
  const learn::AggregateOptions aggregate = AggregateOf(aggregation, scale, max_length, total_tokens, total_rows);
  const Tokens tokens(mask, offsets);
  const std::size_t vocabulary = VocabularyOf(logits, tokens);
  Output slope(logits, gradient);
  const double bonus = Unlocked(
      [&] { return Check(learn::EntropyBonus(View(logits), vocabulary, tokens.view(), aggregate, slope.span())); });
  return nb::make_tuple(bonus, slope.Finish());
}

nb::object HighEntropyWeights(const Doubles& entropies, const Marks& mask, const std::optional<Integers>& offsets,
                              double quantile, const std::optional<OutDoubles>& out) {
  const Tokens tokens(mask, offsets);
  tokens.Expect("entropies", entropies);
  Output result(mask, out);
  Unlocked([&] { Check(learn::HighEntropyWeights(View(entropies), tokens.view(), quantile, result.span())); });
  return result.Finish();
}

nb::object ExtremeRiskWeights(const Doubles& old_log_probs, const Doubles& advantages, const Marks& mask,
                              const std::optional<Integers>& offsets, double threshold,
                              const std::optional<OutDoubles>& out) {
  const Tokens tokens(mask, offsets);
  tokens.Expect("old_log_probs", old_log_probs);
  tokens.ExpectTokensOrRows("advantages", advantages);
  Output result(mask, out);
  Unlocked([&] {
    Check(learn::ExtremeRiskWeights(View(old_log_probs), View(advantages), tokens.view(), threshold, result.span()));
  });
  return result.Finish();
}

}  // namespace

void AddEntropy(nb::module_& m) {
  const auto none = nb::none();
  m.def(
      "entropies", &Entropies, "logits"_a.noconvert(), "mask"_a.noconvert(), "offsets"_a.noconvert() = none,
      "(entropies in nats, sums of p_v^2) of the tokens' distributions, float64 of the mask's shape, 0 where it is not "
      "set.\n\nlogits: float64[rows, columns, vocabulary], or [tokens, vocabulary] with offsets.\nRaises ValueError "
      "naming row, column and entry of what is not finite.");
  m.def("entropy_bonus", &EntropyBonus, "logits"_a.noconvert(), "mask"_a.noconvert(), "offsets"_a.noconvert() = none,
        nb::kw_only(), "aggregation"_a = "token-mean", "scale"_a = 1.0, "max_length"_a = 0, "total_tokens"_a = none,
        "total_rows"_a = none, "gradient"_a.noconvert() = none,
        "(aggregated entropy, its gradient with respect to the logits), -p_v (log p_v + H) for each token. A loss "
        "subtracts them. Arguments as those of entropies() and policy_loss().");
  m.def("high_entropy_weights", &HighEntropyWeights, "entropies"_a.noconvert(), "mask"_a.noconvert(),
        "offsets"_a.noconvert() = none, nb::kw_only(), "quantile"_a = 0.8, "out"_a.noconvert() = none,
        "Weights for policy_loss(weights=): 1 for tokens with an entropy above that quantile (in [0, 1]) of all that "
        "count, else 0; only forks in the text are learnt from (arXiv 2506.01939). Filtered tokens still count in "
        "denominators. A quantile of 0 filters nothing.");
  m.def("extreme_risk_weights", &ExtremeRiskWeights, "old_log_probs"_a.noconvert(), "advantages"_a.noconvert(),
        "mask"_a.noconvert(), "offsets"_a.noconvert() = none, nb::kw_only(), "threshold"_a = 0.01,
        "out"_a.noconvert() = none,
        "Weights for policy_loss(weights=): 0 for tokens with a negative advantage and an old probability below "
        "threshold, whose logits would be pushed down without bound; else 1. advantages: as old_log_probs, or one for "
        "each row.");
}

}  // namespace kgym::python
