// Importance weights against the mismatch: each token's loss times how much likelier the trained model finds it.
//
// Threads: any; pure functions.
#pragma once

#include <span>

#include "base/result.h"
#include "learn/mismatch.h"

namespace kgym::learn {

enum class OutOfBounds {
  kTruncate,  // Weights above `upper` become `upper`, those below `lower` become `lower`.
  kMask,      // Weights outside become 0.
};

struct ImportanceOptions {
  WeightLevel level = WeightLevel::kToken;
  double lower = 0;
  double upper = 2.0;
  OutOfBounds outside = OutOfBounds::kTruncate;
  bool normalize = false;  // Divided by their mean over the tokens that count.
};

/// The weight of each token, 0 at those that do not count. `weights` goes into PolicyLossInput::weights: held fixed.
Status ImportanceWeights(const MismatchInput& input, const ImportanceOptions& options, std::span<double> weights);

/// 1 / mean((w / mean w)^2) over the tokens that count: 1 where all weigh the same, towards 0 where few weigh all.
/// 0 where nothing counts.
double EffectiveSampleShare(std::span<const double> weights, const TokenRows& tokens);

}  // namespace kgym::learn
