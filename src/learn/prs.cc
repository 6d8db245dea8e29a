#include "learn/prs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "learn/check_input.h"
#include "learn/group.h"
#include "learn/random.h"

namespace kgym::learn {
namespace {

/// The least coverage that has a logarithm.
constexpr double kLeastCoverage = 1e-8;

Status Check(const PrsRows& facts, const TurnRows& rows, const PrsOptions& options, std::size_t count) {
  KGYM_TRY_VOID(CheckLength("trajectories", rows.trajectories.size(), count));
  KGYM_TRY_VOID(CheckRows("coverage", facts.coverage, count, rows.kept));
  KGYM_TRY_VOID(CheckLength("correct", facts.correct.size(), count));
  if (options.speedup_threshold) KGYM_TRY_VOID(CheckRows("speedup", facts.speedup, count, rows.kept));
  if (!(options.ramp >= 0)) return Error{Concat("ramp is ", options.ramp, "; 0 or more is expected")};
  for (std::size_t row = 0; row < count; ++row) {
    if (!IsKept(rows.kept, row)) continue;
    if (facts.coverage[row] >= 0 && facts.coverage[row] <= 1) continue;
    return Error{Concat("coverage of row ", row, " is ", facts.coverage[row], "; a share from 0 to 1 is expected")};
  }
  return Ok();
}

/// Coverage by which each row is judged.
std::vector<double> Judged(const PrsRows& facts, const PrsOptions& options, const Grouping& episodes) {
  std::vector<double> judged(facts.coverage.begin(), facts.coverage.end());
  if (options.level == PrsLevel::kTurn) return judged;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    double logs = 0, count = 0;
    for (std::size_t row : episodes[e]) {
      if (options.turns == PrsTurns::kCorrect && facts.correct[row] == 0) continue;
      logs += std::log(std::max(facts.coverage[row], kLeastCoverage));
      ++count;
    }
    for (std::size_t row : episodes[e]) judged[row] = count == 0 ? 1 : std::exp(logs / count);
  }
  return judged;
}

}  // namespace

double KeepProbability(double coverage, const PrsOptions& options) {
  if (options.ramp == 0) return coverage >= options.threshold ? 1 : 0;
  return std::clamp((coverage - options.threshold) / options.ramp, 0.0, 1.0);
}

Status KeepProbabilities(const PrsRows& facts, const TurnRows& rows, const PrsOptions& options,
                         std::span<double> probabilities) {
  const std::size_t count = probabilities.size();
  KGYM_TRY_VOID(Check(facts, rows, options, count));
  KGYM_TRY(const Grouping episodes, GroupBy(rows.trajectories, rows.kept));
  const std::vector<double> judged = Judged(facts, options, episodes);
  for (std::size_t row = 0; row < count; ++row) {
    const bool fast = options.speedup_threshold && facts.speedup[row] >= *options.speedup_threshold;
    const double kept = facts.correct[row] == 0 || fast ? 1 : KeepProbability(judged[row], options);
    probabilities[row] = IsKept(rows.kept, row) ? kept : 0;
  }
  return Ok();
}

Status DrawKept(std::span<const double> probabilities, const TurnRows& rows, const PrsOptions& options,
                std::uint64_t seed, std::span<std::uint8_t> accepted) {
  const std::size_t count = probabilities.size();
  KGYM_TRY_VOID(CheckRows("probabilities", probabilities, count));
  KGYM_TRY_VOID(CheckLength("trajectories", rows.trajectories.size(), count));
  KGYM_TRY_VOID(CheckLength("turns", rows.turns.size(), count));
  KGYM_TRY_VOID(CheckLength("accepted", accepted.size(), count));
  const bool shared = options.level == PrsLevel::kGeometric && options.draw == PrsDraw::kShared;
  for (std::size_t row = 0; row < count; ++row) {
    std::uint64_t word = Mix(Mix(seed) ^ static_cast<std::uint64_t>(rows.trajectories[row]));
    if (!shared) word = Mix(word ^ static_cast<std::uint64_t>(rows.turns[row]));
    accepted[row] = static_cast<double>(word >> 11) * 0x1p-53 < probabilities[row];
  }
  return Ok();
}

}  // namespace kgym::learn
