// Profile-based rejection sampling (PRS, Dr. Kernel): correct turns whose own kernels did little of the work are kept
// with a probability that grows with coverage, so that small safe gains do not crowd out large hard ones.
//
//   p = clamp((coverage - threshold) / ramp, 0, 1);   ramp 0: p = 1 where coverage >= threshold, else 0
//
// Turns that are not correct are always kept; with a `speedup_threshold`, so are those at least that fast. Use the
// leak-free baseline (mrs.h) for what is kept: dropping only correct rows would otherwise push everything down.
//
// A draw depends on (seed, trajectory, turn) and nothing else: not on the order of the rows or how a batch is split.
//
// Threads: any; pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "learn/returns.h"

namespace kgym::learn {

enum class PrsLevel {
  kTurn,       // Each turn by its own coverage, drawn on its own.
  kGeometric,  // All turns of an episode by the geometric mean of their coverages, drawn once.
};

enum class PrsTurns {
  kCorrect,  // The geometric mean is over correct turns: one wrong turn says nothing about coverage.
  kAll,      // Published: a wrong turn (coverage 0, taken as 1e-8) rejects its whole episode.
};

enum class PrsDraw { kShared, kEachTurn };

struct PrsOptions {
  PrsLevel level = PrsLevel::kTurn;
  double threshold = 0.3;
  double ramp = 0.1;
  std::optional<double> speedup_threshold = {};
  PrsTurns turns = PrsTurns::kCorrect;  // For kGeometric.
  PrsDraw draw = PrsDraw::kShared;      // For kGeometric; published: kEachTurn.

  static PrsOptions PublishedGeometric() {
    return {.level = PrsLevel::kGeometric, .turns = PrsTurns::kAll, .draw = PrsDraw::kEachTurn};
  }
};

/// One value for each row.
struct PrsRows {
  std::span<const double> coverage;  // In [0, 1].
  std::span<const std::uint8_t> correct;
  std::span<const double> speedup;  // May be empty where there is no speedup_threshold.
};

double KeepProbability(double coverage, const PrsOptions& options);

/// The probability of each row to be kept; 0 for rows that `rows.kept` leaves out.
Status KeepProbabilities(const PrsRows& facts, const TurnRows& rows, const PrsOptions& options,
                         std::span<double> probabilities);

/// accepted[row] = 1 with its probability.
Status DrawKept(std::span<const double> probabilities, const TurnRows& rows, const PrsOptions& options,
                std::uint64_t seed, std::span<std::uint8_t> accepted);

}  // namespace kgym::learn
