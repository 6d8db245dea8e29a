// Random token rows for tests: uneven lengths, an empty row, masks with holes.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "learn/mismatch.h"
#include "learn/random.h"
#include "learn/token_rows.h"

namespace kgym::learn {

struct TestTokens {
  explicit TestTokens(std::uint64_t seed, std::size_t rows = 6, double spread = 0.4) {
    Random random(seed);
    offsets.push_back(0);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t length = row == 1 ? 0 : 1 + random.Below(9);
      for (std::size_t i = 0; i < length; ++i) {
        mask.push_back(random.Uniform() < 0.8);
        log_probs.push_back(std::log(1 - random.Uniform()));
        old_log_probs.push_back(log_probs.back() + spread * random.Normal());
        advantages.push_back(random.Normal());
        weights.push_back(2 * random.Uniform());
      }
      offsets.push_back(static_cast<std::int64_t>(mask.size()));
      trajectories.push_back(static_cast<std::int64_t>(row / 2));
    }
  }

  TokenRows tokens() const { return {offsets, mask}; }
  MismatchInput mismatch() const { return {tokens(), log_probs, old_log_probs, trajectories}; }

  std::vector<std::int64_t> offsets, trajectories;
  std::vector<std::uint8_t> mask;
  std::vector<double> log_probs, old_log_probs, advantages, weights;
};

/// The same rows with `padding` tokens after each that do not count, and hold what must not be read.
inline TestTokens Padded(const TestTokens& packed, std::size_t padding) {
  TestTokens padded(0, 0);
  for (std::size_t row = 0; row < packed.tokens().rows(); ++row) {
    for (std::size_t i = packed.tokens().begin(row); i < packed.tokens().end(row); ++i) {
      padded.mask.push_back(packed.mask[i]);
      padded.log_probs.push_back(packed.log_probs[i]);
      padded.old_log_probs.push_back(packed.old_log_probs[i]);
      padded.advantages.push_back(packed.advantages[i]);
      padded.weights.push_back(packed.weights[i]);
    }
    for (std::size_t i = 0; i < padding; ++i) {
      padded.mask.push_back(0);
      for (auto* values : {&padded.log_probs, &padded.old_log_probs, &padded.advantages, &padded.weights}) {
        values->push_back(std::nan(""));
      }
    }
    padded.offsets.push_back(static_cast<std::int64_t>(padded.mask.size()));
  }
  padded.trajectories = packed.trajectories;
  return padded;
}

}  // namespace kgym::learn
