#include "learn/advantage_baseline.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "learn/check_input.h"
#include "learn/group_values.h"

namespace kgym::learn {
namespace {

struct WeightedSum {
  double weight = 0;
  double value = 0;      // Weight times return.
  std::size_t rows = 0;  // That are in the sum.
};

/// The advantage of one return whose own part of the sum is `own`.
double Against(double value, WeightedSum sum, WeightedSum own, BaselineFrom from, Alone alone) {
  if (sum.rows == 1) from = BaselineFrom::kOthers;  // Alone: no baseline, rather than its own return.
  if (from == BaselineFrom::kOthers) sum = {sum.weight - own.weight, sum.value - own.value, sum.rows - 1};
  // What is left of a difference of equal sums is rounding.
  if (sum.weight <= 1e-12 * own.weight || sum.weight == 0) return alone == Alone::kReturn ? value : 0;
  return value - sum.value / sum.weight;
}

Status CheckWeights(std::span<const double> weights, std::string_view name) {
  const auto negative = std::ranges::find_if(weights, [](double weight) { return weight < 0; });
  if (negative == weights.end()) return Ok();
  return Error{Concat(name, "[", negative - weights.begin(), "] is ", *negative, "; 0 or more is expected")};
}

}  // namespace

Status SubtractBaseline(std::span<const double> returns, std::span<const double> baselines,
                        std::span<const std::uint8_t> kept, std::span<double> advantages) {
  KGYM_TRY_VOID(CheckRows("returns", returns, returns.size(), kept));
  KGYM_TRY_VOID(CheckRows("baselines", baselines, returns.size(), kept));
  KGYM_TRY_VOID(CheckLength("advantages", advantages.size(), returns.size()));
  for (std::size_t row = 0; row < returns.size(); ++row) {
    advantages[row] = IsKept(kept, row) ? returns[row] - baselines[row] : 0;
  }
  return Ok();
}

Status WeightedBaseline(std::span<const double> returns, std::span<const double> weights, const Grouping& groups,
                        BaselineFrom from, Alone alone, std::span<double> advantages) {
  KGYM_TRY_VOID(CheckGroupValues("returns", returns, groups, advantages));
  KGYM_TRY_VOID(CheckGroupValues("weights", weights, groups, advantages));
  std::vector<double> result(returns.size(), 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    WeightedSum sum;
    for (std::size_t row : groups[g]) {
      if (weights[row] < 0)
        return Error{Concat("weight of row ", row, " is ", weights[row], "; 0 or more is expected")};
      sum.weight += weights[row];
      sum.value += weights[row] * returns[row];
      ++sum.rows;
    }
    for (std::size_t row : groups[g]) {
      const WeightedSum own{weights[row], weights[row] * returns[row], 1};
      result[row] = Against(returns[row], sum, own, from, alone);
    }
  }
  std::ranges::copy(result, advantages.begin());
  return Ok();
}

Status GradientNormProxy(std::span<const double> log_probs, std::span<const double> sum_squared_probs,
                         const TokenRows& tokens, std::span<double> proxy) {
  KGYM_TRY_VOID(CheckTokenRows(tokens));
  KGYM_TRY_VOID(CheckTokens("log_probs", log_probs, tokens));
  KGYM_TRY_VOID(CheckTokens("sum_squared_probs", sum_squared_probs, tokens));
  KGYM_TRY_VOID(CheckLength("proxy", proxy.size(), log_probs.size()));
  for (std::size_t i = 0; i < proxy.size(); ++i) {
    // Never below (1 - p)^2 for true probabilities; rounding may bring it below 0.
    const bool counts = tokens.mask.data()[i] != 0;
    proxy.data()[i] = counts ? std::max(0.0, 1 - 2 * std::exp(log_probs.data()[i]) + sum_squared_probs.data()[i]) : 0;
  }
  return Ok();
}

Status OptimalTokenBaseline(std::span<const double> token_returns, std::span<const double> proxy,
                            const TokenRows& tokens, const Grouping& groups, BaselineFrom from, Alone alone,
                            std::span<double> advantages) {
  KGYM_TRY_VOID(CheckTokenRows(tokens));
  KGYM_TRY_VOID(CheckTokens("token_returns", token_returns, tokens));
  KGYM_TRY_VOID(CheckTokens("proxy", proxy, tokens));
  KGYM_TRY_VOID(CheckLength("rows of the grouping", groups.rows, tokens.rows()));
  KGYM_TRY_VOID(CheckLength("advantages", advantages.size(), tokens.tokens()));
  KGYM_TRY_VOID(CheckWeights(proxy, "proxy"));
  std::vector<double> result(tokens.tokens(), 0);
  std::vector<WeightedSum> columns;
  // Visits the tokens of a row that count: (token, number among them, weight so far).
  const auto walk = [&](std::size_t row, auto visit) {
    double weight = 0;
    std::size_t number = 0;
    for (std::size_t i = tokens.begin(row); i < tokens.end(row); ++i) {
      if (tokens.mask.data()[i] == 0) continue;
      weight += proxy.data()[i];
      visit(i, number++, weight);
    }
  };
  for (std::size_t g = 0; g < groups.size(); ++g) {
    columns.clear();
    for (std::size_t row : groups[g]) {
      walk(row, [&](std::size_t i, std::size_t number, double weight) {
        if (number == columns.size()) columns.emplace_back();
        columns[number].weight += weight;
        columns[number].value += weight * token_returns.data()[i];
        ++columns[number].rows;
      });
    }
    for (std::size_t row : groups[g]) {
      walk(row, [&](std::size_t i, std::size_t number, double weight) {
        const double value = token_returns.data()[i];
        result[i] = Against(value, columns[number], {weight, weight * value, 1}, from, alone);
      });
    }
  }
  std::ranges::copy(result, advantages.begin());
  return Ok();
}

Status InverseVarianceWeights(std::span<const double> values, const Grouping& groups, double epsilon,
                              std::span<double> weights) {
  if (!(epsilon > 0)) return Error{Concat("epsilon is ", epsilon, "; a number above 0 is expected")};
  KGYM_TRY_VOID(CheckGroupValues("values", values, groups, weights));
  double total = 0;
  ForEachGroup(values, groups, weights, [&](std::span<double> group) {
    const double deviation = MomentsOf(group).deviation();
    const double weight = 1 / (deviation * deviation + epsilon);
    total += weight;
    std::ranges::fill(group, weight);
  });
  for (double& weight : weights) weight *= static_cast<double>(groups.size()) / total;
  return Ok();
}

}  // namespace kgym::learn
