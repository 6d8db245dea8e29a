// Oversampling: generating more prompts than a batch needs, since some will be filtered away, and keeping what a short
// batch has for the next.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kgym::learn {

/// How many prompts to generate: enough that those expected to survive the filter are target * factor, in multiples of
/// the number of workers.
class Oversampler {
 public:
  struct Options {
    double target = 16;        // Prompts wanted after filtering.
    double factor = 1.0;       // Safety on top.
    std::size_t multiple = 1;  // The number of prompts is one of this.
    double smoothing = 1.0;    // Weight of a new filter rate against the old, in (0, 1].
    double most = 0.95;        // Cap on a prompt's filter rate, so that a batch of hopeless prompts still ends.
  };
  static Result<Oversampler> Create(const Options& options);

  /// Adds a prompt to the batch being collected; true once the batch is large enough, and a new one begins.
  bool Add(std::int64_t prompt);

  /// The share of the prompt's rows that the filter dropped, in [0, 1].
  Status Observe(std::int64_t prompt, double filter_rate);
  double filter_rate(std::int64_t prompt) const;  // 0 for prompts never observed.

  Json State() const;
  static Result<Oversampler> FromState(const Options& options, const Json& state);

 private:
  explicit Oversampler(const Options& options) : options_(options) {}

  Options options_;
  std::unordered_map<std::int64_t, double> rates_;
  double expected_ = 0;
  std::size_t collected_ = 0;
};

/// Rows that passed the filter, waiting until a batch is full. Rows older than `max_age` steps are dropped: published
/// code keeps them for ever, and trains on what an old policy wrote.
class Refill {
 public:
  explicit Refill(std::int64_t max_age) : max_age_(max_age) {}

  void Add(std::int64_t row, std::int64_t step);

  /// `count` rows, the oldest first, or none if there are fewer that are fresh at `step`.
  std::vector<std::int64_t> Take(std::size_t count, std::int64_t step);

  std::size_t waiting() const { return rows_.size(); }
  std::int64_t dropped() const { return dropped_; }  // For their age.

  Json State() const;
  static Result<Refill> FromState(const Json& state);

 private:
  struct Row {
    std::int64_t id;
    std::int64_t step;
  };
  std::int64_t max_age_;
  std::deque<Row> rows_;
  std::int64_t dropped_ = 0;
};

}  // namespace kgym::learn
