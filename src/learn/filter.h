// Filters of groups: which groups of rows have something to teach, and which rows of too large ones to take.
//
// A group is judged on its own scores. Group by (prompt, turn) and each turn is kept for its own signal; Dr. Kernel's
// published recipe groups the last turns by prompt and throws a prompt's earlier turns away with them.
//
// Threads: any; pure functions, but for the random numbers that one thread may draw at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/result.h"
#include "learn/group.h"
#include "learn/random.h"

namespace kgym::learn {

struct FilterOptions {
  double least_deviation = 1e-3;  // Groups whose (unbiased) standard deviation is below are dropped; 0 keeps them.
  bool drop_solved_by_none = false;
  bool drop_solved_by_all = false;
  double none_score = 0;  // "None": every score is at most this.
  double all_score = 1;   // "All": every score is at least this.
  std::size_t least_size = 1;
  std::int64_t max_length = std::numeric_limits<std::int64_t>::max();  // A row this long was cut off.
  std::size_t least_uncut = 1;                                         // Rows below max_length that a group needs.
  double least_mean = -std::numeric_limits<double>::infinity();        // Of the scores.
  double most_mean = std::numeric_limits<double>::infinity();
};

struct FilterReport {
  std::vector<std::uint8_t> kept = {};  // One for each group.
  // Groups by what was found; one group may count in several.
  std::int64_t groups = 0, uniform = 0, solved_by_none = 0, solved_by_all = 0, small = 0, cut = 0, out_of_range = 0;
  std::int64_t dropped = 0;
};

/// `lengths` (tokens of each row) may be empty. `kept_rows` gets 1 for members of kept groups, else 0.
Result<FilterReport> FilterGroups(std::span<const double> scores, std::span<const std::int64_t> lengths,
                                  const Grouping& groups, const FilterOptions& options,
                                  std::span<std::uint8_t> kept_rows);

struct GateOptions {
  double closeness = 0.01;  // Of the row's mean log-probabilities in training and rollout.
  double depth = 15;        // How far below the likeliest token's log-probability a sampled one may be.
};

/// Published "two gates" (Dr. Kernel): rows whose mean log-probabilities differ by less than `closeness`, and whose
/// tokens were never sampled `depth` or more below the likeliest one. `least_below_top`: of each row the smallest
/// difference, 0 or less. Rows that are not `kept` (empty: all are) get 0.
Status TwoGates(std::span<const double> mean_train, std::span<const double> mean_rollout,
                std::span<const double> least_below_top, std::span<const std::uint8_t> kept, const GateOptions& options,
                std::span<std::uint8_t> kept_rows);

/// At most `target` groups: those with at least `complete` members first, at random among equals. Group numbers, in
/// order.
std::vector<std::size_t> ChooseGroups(const Grouping& groups, std::size_t complete, std::size_t target, Random& random);

enum class ChooseBy {
  kUniform,
  kEfficiency,            // Positives by score / length, negatives the shortest; shares as in the group, both present.
  kEfficiencyStochastic,  // The same, drawn with probabilities that grow with it.
};

/// `count` members of each group, all where there are no more: `kept_rows` gets 1 for those, else 0. `lengths` (tokens)
/// are above 0. Positive: score > 0.
Status ChooseRows(std::span<const double> scores, std::span<const std::int64_t> lengths, const Grouping& groups,
                  std::size_t count, ChooseBy by, Random& random, std::span<std::uint8_t> kept_rows);

}  // namespace kgym::learn
