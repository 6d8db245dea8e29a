// Returns, advantages and sums of tokens, and what goes between rows and tokens.
#include "arrays.h"
#include "groups.h"
#include "learn/broadcast.h"
#include "learn/token_returns.h"
#include "learn/whiten.h"
#include "parts.h"

namespace kgym::python {
namespace {

using namespace nb::literals;

nb::object RowSums(const Doubles& values, const Marks& mask, const std::optional<Integers>& offsets) {
  const Tokens tokens(mask, offsets);
  tokens.Expect("values", values);
  Output sums(Shape{tokens.rows()});
  Unlocked([&] { Check(learn::RowSums(View(values), tokens.view(), sums.span())); });
  return sums.Finish();
}

nb::object Broadcast(const RowDoubles& values, const Marks& mask, const std::optional<Integers>& offsets,
                     bool leave_masked, const std::optional<OutDoubles>& out) {
  if (leave_masked && !out) Fail(Error{"leave_masked leaves what is in out, and there is no out"});
  const Tokens tokens(mask, offsets);
  Output result(mask, out);
  Unlocked([&] {
    Check(learn::Broadcast(View(values), tokens.view(), leave_masked ? learn::Masked::kLeave : learn::Masked::kZero,
                           result.span()));
  });
  return result.Finish();
}

nb::object TokenReturns(const Doubles& rewards, const Marks& mask, const std::optional<Integers>& offsets, double gamma,
                        bool reset, const std::optional<OutDoubles>& out) {
  const Tokens tokens(mask, offsets);
  tokens.Expect("rewards", rewards);
  Output result(rewards, out);
  Unlocked([&] {
    Check(learn::TokenReturns(View(rewards), tokens.view(), gamma, reset ? learn::Gap::kReset : learn::Gap::kPassOver,
                              result.span()));
  });
  return result.Finish();
}

nb::tuple Gae(const Doubles& rewards, const Doubles& values, const Marks& mask, const std::optional<Integers>& offsets,
              double gamma, double lambda) {
  const Tokens tokens(mask, offsets);
  tokens.Expect("rewards", rewards);
  tokens.Expect("values", values);
  Output advantages(rewards, std::nullopt), returns(rewards, std::nullopt);
  Unlocked([&] {
    Check(learn::Gae(View(rewards), View(values), tokens.view(), gamma, lambda, advantages.span(), returns.span()));
  });
  return nb::make_tuple(advantages.Finish(), returns.Finish());
}

nb::object WhitenTokens(const Doubles& values, const Marks& mask, const std::optional<Integers>& offsets,
                        double epsilon, double variance_epsilon, bool shift, double floor,
                        const std::optional<OutDoubles>& out) {
  const learn::WhitenOptions options{epsilon, variance_epsilon, floor, shift};
  const Tokens tokens(mask, offsets);
  tokens.Expect("values", values);
  Output result(values, out);
  Unlocked([&] { Check(learn::WhitenTokens(View(values), tokens.view(), options, result.span())); });
  return result.Finish();
}

nb::object GradientNormProxy(const Doubles& log_probs, const Doubles& sum_squared_probs, const Marks& mask,
                             const std::optional<Integers>& offsets, const std::optional<OutDoubles>& out) {
  const Tokens tokens(mask, offsets);
  tokens.Expect("log_probs", log_probs);
  tokens.Expect("sum_squared_probs", sum_squared_probs);
  Output result(log_probs, out);
  Unlocked(
      [&] { Check(learn::GradientNormProxy(View(log_probs), View(sum_squared_probs), tokens.view(), result.span())); });
  return result.Finish();
}

nb::object OptimalTokenBaseline(const Doubles& token_returns, const Doubles& proxy, const Marks& mask,
                                const std::optional<Integers>& offsets, const Integers& groups,
                                const std::optional<Integers>& turns, const std::optional<RowMarks>& kept,
                                const std::string& baseline, const std::string& alone,
                                const std::optional<OutDoubles>& out) {
  const learn::BaselineFrom from = BaselineOf(baseline);
  const learn::Alone single = AloneOf(alone);
  const Tokens tokens(mask, offsets);
  tokens.Expect("token_returns", token_returns);
  tokens.Expect("proxy", proxy);
  Output result(token_returns, out);
  Unlocked([&] {
    Check(learn::OptimalTokenBaseline(View(token_returns), View(proxy), tokens.view(), GroupsOf(groups, turns, kept),
                                      from, single, result.span()));
  });
  return result.Finish();
}

}  // namespace

void AddTokens(nb::module_& m) {
  const auto none = nb::none();
  m.def("row_sums", &RowSums, "values"_a.noconvert(), "mask"_a.noconvert(), "offsets"_a.noconvert() = none,
        "Sums over the tokens that count, float64[rows]: from rewards of tokens to the score of a row, from proxies to "
        "the weight of one.\n\nvalues: float64[rows, columns] or flat with offsets; mask: bool of the same shape.\n"
        "Raises ValueError naming row and column of what is not finite.");
  m.def("broadcast", &Broadcast, "values"_a.noconvert(), "mask"_a.noconvert(), "offsets"_a.noconvert() = none,
        nb::kw_only(), "leave_masked"_a = false, "out"_a.noconvert() = none,
        "values[row] at each token of the row that counts, float64 of the mask's shape, else 0. policy_loss() needs no "
        "such array: it takes one advantage a row.\n\nvalues: float64[rows]. `out`: written to and returned; fastest "
        "where it is used again and again. leave_masked: tokens that do not count keep what `out` has there.\n"
        "Raises ValueError naming the row.");
  m.def("token_returns", &TokenReturns, "rewards"_a.noconvert(), "mask"_a.noconvert(), "offsets"_a.noconvert() = none,
        nb::kw_only(), "gamma"_a = 1.0, "reset"_a = false, "out"_a.noconvert() = none,
        "Rewards to go of tokens; reset=True starts anew at each token that the mask leaves out (REINFORCE++, as "
        "published).");
  m.def("gae", &Gae, "rewards"_a.noconvert(), "values"_a.noconvert(), "mask"_a.noconvert(),
        "offsets"_a.noconvert() = none, nb::kw_only(), "gamma"_a = 1.0, "lambda_"_a = 1.0,
        "Generalized advantage estimation: (advantages, returns), not whitened.");
  m.def("whiten_tokens", &WhitenTokens, "values"_a.noconvert(), "mask"_a.noconvert(), "offsets"_a.noconvert() = none,
        nb::kw_only(), "epsilon"_a = 1e-6, "variance_epsilon"_a = 0.0, "shift"_a = true, "floor"_a = 0.0,
        "out"_a.noconvert() = none,
        "whiten() over tokens. verl's: epsilon=0, variance_epsilon=1e-8. Fewer than two tokens give 0.");
  m.def("gradient_norm_proxy", &GradientNormProxy, "log_probs"_a.noconvert(), "sum_squared_probs"_a.noconvert(),
        "mask"_a.noconvert(), "offsets"_a.noconvert() = none, nb::kw_only(), "out"_a.noconvert() = none,
        "1 - 2 p + sum of p_v^2 of each token: the squared norm of its gradient with respect to the logits.\n\n"
        "log_probs, sum_squared_probs (from entropies()): float64[rows, columns] or flat with offsets. Sums over a row "
        "are the weights of weighted_baseline() for the optimal baseline.");
  m.def(
      "optimal_token_baseline", &OptimalTokenBaseline, "token_returns"_a.noconvert(), "proxy"_a.noconvert(),
      "mask"_a.noconvert(), "offsets"_a.noconvert().none(), "groups"_a.noconvert(), "turns"_a.noconvert() = none,
      "kept"_a.noconvert() = none, nb::kw_only(), "baseline"_a = "others", "alone"_a = "zero",
      "out"_a.noconvert() = none,
      "Advantages of tokens against one baseline for each column: A = G - sum(W G) / sum(W) over the group's rows that "
      "have the column, W being the proxy summed over the row up to it (verl's optimal token baseline).\n\n"
      "token_returns, proxy (gradient_norm_proxy()): float64[rows, columns], with offsets=None, or flat; groups, "
      "turns: "
      "int64[rows]; kept: bool[rows], rows that take part. baseline='group' includes the row itself, as published. "
      "Columns are numbered among the tokens that count. A row that alone reaches a column gets 0, or its return with "
      "alone='return'.\nRaises ValueError naming row and column.");
}

}  // namespace kgym::python
