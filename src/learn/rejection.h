// Rejection by mismatch: units whose weight lies outside two bounds do not take part, and neither does what holds a
// token that one of the models finds next to impossible (veto).
//
// Threads: any; pure functions. `accepted` may be the input's own mask.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "learn/mismatch.h"

namespace kgym::learn {

struct RejectionOptions {
  WeightLevel level = WeightLevel::kGeometric;
  double lower = 0.999;
  double upper = 1.001;
};

/// accepted = mask where the unit's weight is within the bounds (themselves included), else 0.
Status RejectOutside(const MismatchInput& input, const RejectionOptions& options, std::span<std::uint8_t> accepted);

enum class VetoOf { kRow, kTrajectory };
enum class VetoSide {
  kUnlikelyInTraining,  // d < log(threshold) only.
  kEither,              // Also d > -log(threshold): the rollout's model found it next to impossible.
};

struct VetoOptions {
  double threshold = 1e-4;  // A ratio in (0, 1).
  VetoOf of = VetoOf::kTrajectory;
  VetoSide side = VetoSide::kEither;

  static VetoOptions Published() { return {.of = VetoOf::kRow, .side = VetoSide::kUnlikelyInTraining}; }
};

struct VetoReport {
  double rows = 0;    // Share of the rows with tokens that were vetoed.
  double tokens = 0;  // Share of the tokens that are catastrophic themselves.
};

/// accepted = mask, 0 for every token of a vetoed row or episode.
Result<VetoReport> Veto(const MismatchInput& input, const VetoOptions& options, std::span<std::uint8_t> accepted);

/// Bounds [1 / b, b] with the smallest b >= `options.upper` that rejects at most `largest_rejected` of the units: fixed
/// bounds on a geometric mean reject short replies for their noise alone, and sometimes everything.
Result<RejectionOptions> BoundsForShare(const MismatchInput& input, RejectionOptions options, double largest_rejected);

}  // namespace kgym::learn
