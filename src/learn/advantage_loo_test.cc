#include "learn/advantage_loo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "learn/advantage_grpo.h"
#include "learn/random.h"

namespace kgym::learn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<double> Trloo(const std::vector<double>& returns, const std::vector<std::int64_t>& prompts,
                          const std::vector<std::int64_t>& turns, const std::vector<std::uint8_t>& kept,
                          const LooOptions& options = {}) {
  std::vector<double> out(returns.size());
  LeaveOneOut(returns, GroupBy(prompts, turns, kept).value(), options, out).value();
  return out;
}

TEST(LeaveOneOut, RowsThatAreNotKeptNeitherCountNorGet) {
  EXPECT_THAT(Trloo({1, 3, 100}, {0, 0, 0}, {1, 1, 1}, {1, 1, 0}), ElementsAre(-2, 2, 0));
}

TEST(LeaveOneOut, AGroupOfOneHasNothingToCompare) {
  EXPECT_THAT(Trloo({5}, {0}, {1}, {}), ElementsAre(0));
  EXPECT_THAT(Trloo({5}, {0}, {1}, {}, LooOptions::Published()), ElementsAre(5));
}

TEST(LeaveOneOut, NoRowsAtAll) {
  EXPECT_THAT(Trloo({}, {}, {}, {}), ElementsAre());
  EXPECT_THAT(Trloo({1, 2}, {0, 0}, {1, 1}, {0, 0}), ElementsAre(0, 0));
}

TEST(LeaveOneOut, CopiesAreLeftOutByFirstCopies) {
  const std::vector<std::int64_t> identities = {7, 8, 7};
  EXPECT_THAT(FirstCopies(identities), ElementsAre(1, 1, 0));
  EXPECT_THAT(Trloo({1, 3, 1}, {0, 0, 0}, {1, 1, 1}, FirstCopies(identities)), ElementsAre(-2, 2, 0));
}

TEST(LeaveOneOut, ErrorsNameTheRow) {
  const Grouping groups = GroupBy(std::vector<std::int64_t>{0, 0, 0}).value();
  std::vector<double> out(3);
  EXPECT_THAT(LeaveOneOut(std::vector<double>{1, std::nan(""), 2}, groups, {}, out).error().message,
              HasSubstr("row 1 is nan"));
  EXPECT_THAT(LeaveOneOut(std::vector<double>{1, 2}, groups, {}, out).error().message, HasSubstr("row 2 has none"));
  EXPECT_THAT(GroupBy(std::vector<std::int64_t>{1, 2}, std::vector<std::int64_t>{1}, {}).error().message,
              HasSubstr("turns has 1 values for 2 rows: row 1 has none"));
}

TEST(LeaveOneOut, OrderOfRowsDoesNotMatter) {
  Random random(3);
  constexpr std::size_t kRows = 200;
  std::vector<double> returns(kRows);
  std::vector<std::int64_t> prompts(kRows), turns(kRows);
  std::vector<std::uint8_t> kept(kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    returns[row] = random.Normal();
    // Keys far apart: grouped by sorting; near ones are grouped by a table.
    prompts[row] = static_cast<std::int64_t>(random.Below(9)) * 1'000'000'007;
    turns[row] = static_cast<std::int64_t>(random.Below(3));
    kept[row] = random.Uniform() < 0.8;
  }
  std::vector<std::size_t> order(kRows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.Shuffle(order);
  const auto shuffled = [&](const auto& values) {
    auto result = values;
    for (std::size_t i = 0; i < kRows; ++i) result[i] = values[order[i]];
    return result;
  };
  auto near = prompts;
  for (std::int64_t& prompt : near) prompt /= 1'000'000'007;
  const auto plain = Trloo(returns, prompts, turns, kept);
  const auto mixed = Trloo(shuffled(returns), shuffled(near), shuffled(turns), shuffled(kept));
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_NEAR(mixed[i], plain[order[i]], 1e-12);
}

/// A policy of one state and three actions, softmax of `logits`; rewards are known, so is the true gradient.
struct Bandit {
  std::array<double, 3> logits = {0.3, -0.2, 0.6};
  std::array<double, 3> rewards = {1.0, 0.2, 2.5};

  std::array<double, 3> probabilities() const {
    std::array<double, 3> p{};
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) sum += p[a] = std::exp(logits[a]);
    for (double& value : p) value /= sum;
    return p;
  }
  /// d(expected reward)/d(logit 2) = p_2 (r_2 - mean).
  double TrueGradient() const {
    const auto p = probabilities();
    const double mean = std::inner_product(p.begin(), p.end(), rewards.begin(), 0.0);
    return p[2] * (rewards[2] - mean);
  }
};

struct Simulated {
  double mean = 0, standard_error = 0;
};

/// The estimated gradient in logit 2 over `batches` of groups of `group` episodes, with advantages by `estimate`.
template <class Estimator>
Simulated Simulate(const Bandit& bandit, std::size_t group, std::size_t batches, Estimator estimate) {
  const auto p = bandit.probabilities();
  Random random(11);
  std::vector<double> returns(group), advantages(group);
  std::vector<std::size_t> actions(group);
  const Grouping groups = GroupBy(std::vector<std::int64_t>(group, 0)).value();
  double sum = 0, squares = 0;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    for (std::size_t i = 0; i < group; ++i) {
      const double u = random.Uniform();
      actions[i] = u < p[0] ? 0 : u < p[0] + p[1] ? 1 : 2;
      returns[i] = bandit.rewards[actions[i]] + random.Normal();
    }
    estimate(returns, groups, advantages);
    double gradient = 0;
    for (std::size_t i = 0; i < group; ++i) gradient += advantages[i] * ((actions[i] == 2 ? 1 : 0) - p[2]);
    gradient /= static_cast<double>(group);
    sum += gradient;
    squares += gradient * gradient;
  }
  const double count = static_cast<double>(batches), mean = sum / count;
  return {mean, std::sqrt((squares / count - mean * mean) / count)};
}

constexpr std::size_t kGroup = 4;
constexpr std::size_t kBatches = 250'000;  // A million episodes.

TEST(LeaveOneOutSimulation, IsUnbiased) {
  const Bandit bandit;
  const Simulated loo = Simulate(bandit, kGroup, kBatches, [](const auto& in, const Grouping& groups, auto& out) {
    LeaveOneOut(in, groups, {}, out).value();
  });
  EXPECT_LT(std::abs(loo.mean - bandit.TrueGradient()), 3 * loo.standard_error);
  EXPECT_LT(loo.standard_error, bandit.TrueGradient() / 100);  // Else the line above says little.
}

TEST(LeaveOneOutSimulation, TheGroupsOwnMeanShrinksTheGradientByItsPredictedFactor) {
  const Bandit bandit;
  const Simulated own = Simulate(bandit, kGroup, kBatches, [](const auto& in, const Grouping& groups, auto& out) {
    GroupRelative(in, groups, GrpoOptions::DrGrpo(), out).value();
  });
  const double predicted = bandit.TrueGradient() * (kGroup - 1.0) / kGroup;
  EXPECT_LT(std::abs(own.mean - predicted), 3 * own.standard_error);
  EXPECT_GT(std::abs(own.mean - bandit.TrueGradient()), 10 * own.standard_error);
}

}  // namespace
}  // namespace kgym::learn
