// Which prompts to train on next: every prompt once an epoch in random order, some of them passed over by how often
// they were solved before.
//
//   kUniform      every prompt
//   kPrioritized  with probability 1 - r, r the solve rate
//   kModerate     all with low <= r <= high; below with probability 0.05 (1 - r), above with 0.1 (1 - r)
//   kRefresh      with probability (1 - f) exp(-((r - mean) / deviation)^2 / 2) + f * age, the age counted in epochs,
//   at
//                 most 1; what the sampled prompts learnt is credited in part to those not sampled (`propagation`)
//
// The same seed and observations give the same prompts, also over State and FromState. A sampler always ends: a prompt
// is taken unasked once a whole epoch's worth was passed over.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "learn/random.h"

namespace kgym::learn {

enum class SamplePolicy { kUniform, kPrioritized, kModerate, kRefresh };

struct SamplerOptions {
  SamplePolicy policy = SamplePolicy::kUniform;
  double low = 0.1, high = 0.9;        // kModerate.
  double mean = 0.5, deviation = 0.2;  // kRefresh.
  double freshness = 0.1;              // kRefresh: f, in [0, 1].
  double propagation = 0;              // kRefresh: share of the mean change of observed rates given to the others.
  double smoothing = 1;                // Weight of a new rate against the old, in (0, 1]; 1 forgets the old.
  double unseen_rate = 0.5;            // Of prompts never observed; such prompts are always taken by kUniform only.
};

/// The probability to take a prompt of this solve rate and age.
double TakeProbability(const SamplerOptions& options, double solve_rate, double age_epochs);

class PromptSampler {
 public:
  static Result<PromptSampler> Create(const SamplerOptions& options, std::size_t prompts, std::uint64_t seed);

  std::size_t Next();

  /// Solve rates, in [0, 1], of prompts just tried.
  Status Observe(std::span<const std::size_t> prompts, std::span<const double> rates);

  double solve_rate(std::size_t prompt) const { return rates_[prompt]; }
  std::int64_t epoch() const { return epoch_; }  // From 0.

  Json State() const;
  /// `options` must be those that the state was made with.
  static Result<PromptSampler> FromState(const SamplerOptions& options, const Json& state);

 private:
  PromptSampler(const SamplerOptions& options, std::size_t prompts, Random random);

  SamplerOptions options_;
  Random random_;
  std::vector<std::size_t> order_;
  std::vector<double> rates_;
  std::vector<std::int64_t> last_taken_;  // Draws; -1 never.
  std::size_t position_ = 0;
  std::int64_t epoch_ = 0;
  std::int64_t draws_ = 0;
};

}  // namespace kgym::learn
