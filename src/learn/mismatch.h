// The mismatch between the model that sampled and the model that trains: same weights, other kernels and precision, or
// weights a step older.
//
// d = train_log_prob - rollout_log_prob of each token. The weight of a unit is exp of
//
//   kToken          d of the token
//   kTurn           the sum of d over the row
//   kTurnGeometric  the mean of d over the row
//   kSequence       the sum of d over all rows of the episode
//   kGeometric      the mean of d over all tokens of the episode (all turns share it)
//
// bounded to [-20, 20] before the exponential.
//
// Threads: any; pure functions. The spans must outlive the call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "learn/token_rows.h"

namespace kgym::learn {

enum class WeightLevel { kToken, kTurn, kTurnGeometric, kSequence, kGeometric };

struct MismatchInput {
  TokenRows tokens;
  std::span<const double> train_log_probs;
  std::span<const double> rollout_log_probs;
  std::span<const std::int64_t> trajectories = {};  // One for each row; empty: each row is an episode of its own.

  double difference(std::size_t token) const { return train_log_probs.data()[token] - rollout_log_probs.data()[token]; }
};

Status CheckMismatch(const MismatchInput& input);

/// The rows of each episode, as a number for each row that counts up from 0.
std::vector<std::size_t> EpisodeNumbers(const MismatchInput& input);

/// The bounded logarithm of each row's weight; 0 for rows without tokens. `level` is not kToken.
std::vector<double> RowLogWeights(const MismatchInput& input, WeightLevel level);

}  // namespace kgym::learn
