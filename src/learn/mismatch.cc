#include "learn/mismatch.h"

#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "learn/check_input.h"
#include "learn/ratio.h"

namespace kgym::learn {

Status CheckMismatch(const MismatchInput& input) {
  KGYM_TRY_VOID(CheckTokenRows(input.tokens));
  KGYM_TRY_VOID(CheckTokens("train_log_probs", input.train_log_probs, input.tokens));
  KGYM_TRY_VOID(CheckTokens("rollout_log_probs", input.rollout_log_probs, input.tokens));
  return CheckOptional("trajectories", input.trajectories.size(), input.tokens.rows());
}

std::vector<std::size_t> EpisodeNumbers(const MismatchInput& input) {
  std::vector<std::size_t> numbers(input.tokens.rows());
  std::unordered_map<std::int64_t, std::size_t> known;
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    if (input.trajectories.empty()) {
      numbers[row] = row;
    } else {
      numbers[row] = known.try_emplace(input.trajectories[row], known.size()).first->second;
    }
  }
  return numbers;
}

std::vector<double> RowLogWeights(const MismatchInput& input, WeightLevel level) {
  KGYM_CHECK(level != WeightLevel::kToken);
  struct Sum {
    double of = 0;
    std::int64_t tokens = 0;
  };
  const std::size_t rows = input.tokens.rows();
  const bool by_episode = level == WeightLevel::kSequence || level == WeightLevel::kGeometric;
  const bool mean = level == WeightLevel::kTurnGeometric || level == WeightLevel::kGeometric;
  std::vector<std::size_t> units(rows);
  for (std::size_t row = 0; row < rows; ++row) units[row] = row;
  if (by_episode) units = EpisodeNumbers(input);
  std::vector<Sum> sums(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    Sum& sum = sums[units[row]];
    for (std::size_t i = input.tokens.begin(row); i < input.tokens.end(row); ++i) {
      if (input.tokens.mask.data()[i] == 0) continue;
      sum.of += input.difference(i);
      ++sum.tokens;
    }
  }
  std::vector<double> logs(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const Sum& sum = sums[units[row]];
    const double log = mean && sum.tokens > 0 ? sum.of / static_cast<double>(sum.tokens) : sum.of;
    logs[row] = std::clamp(log, -kRatioBound, kRatioBound);
  }
  return logs;
}

}  // namespace kgym::learn
