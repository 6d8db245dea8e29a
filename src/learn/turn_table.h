// What a model achieves by turn: a table with a line for each turn, the best so far, and what refinement changed.
//
// Rows may come in any order, each (trajectory, turn) once; padding is not a row. Dr. Kernel's published training
// metrics are keyed by prompt, so that each rollout of it overwrites the one before; these are keyed by trajectory.
//
// Memory: 24 bytes a row, so that a run of a million rows fits. Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "learn/fast_p.h"
#include "learn/moments.h"

namespace kgym::learn {

struct TurnRow {
  std::int64_t trajectory = 0;
  std::int64_t turn = 1;  // From 1 on.
  bool compiled = false;
  bool correct = false;
  double speedup = 0;   // Looked at where correct only; 0: not measured.
  double coverage = 0;  // In [0, 1]; looked at where correct only.
};

struct TurnSummary {
  std::int64_t turn = 0;
  std::int64_t count = 0;
  double compilation_rate = 0;
  double correctness_rate = 0;
  Moments speedup = {};  // Of the correct.
  std::vector<double> quartile_speedups =
      {};  // Means of the fastest quarter of the correct, the next, ...; empty for none.
  std::vector<double> fast_among_correct = {}, fast_in_all = {};  // By threshold.
  Moments coverage = {};                                          // Of the correct.
  double coverage_in_all = 0;                                     // Mean, a wrong row counting 0.
};

struct BestSummary {
  std::int64_t turn = 0;
  std::int64_t solved = 0;               // Trajectories with a correct turn up to this one.
  Moments speedup = {};                  // Of the best so far of those.
  std::vector<double> fast_in_all = {};  // Over all trajectories.
};

struct Improvement {
  std::int64_t trajectories = 0;
  double first_turn_correct_rate = 0, last_turn_correct_rate = 0;
  std::int64_t improved = 0;   // Wrong in the first turn, correct in the last.
  std::int64_t regressed = 0;  // The reverse.
  std::int64_t net() const { return improved - regressed; }
};

class TurnTable {
 public:
  explicit TurnTable(std::vector<double> thresholds = FastP::DrKernelThresholds(), FastIf convention = FastIf::kAtLeast)
      : thresholds_(std::move(thresholds)), convention_(convention) {}

  Status Add(const TurnRow& row);

  std::int64_t rows() const { return rows_; }
  std::vector<TurnSummary> Turns() const;       // By turn.
  std::vector<BestSummary> BestByTurn() const;  // A trajectory that ended keeps its best.
  Improvement Change() const;

  /// {"turns": [...], "best_by_turn": [...], "improvement": {...}}
  Json ToJson() const;

 private:
  struct Line {
    std::int64_t count = 0, compiled = 0, correct = 0;
    std::vector<double> speedups;
    Moments coverage;
    double coverage_sum = 0;
  };
  struct Step {
    std::int64_t turn;
    bool correct;
    double speedup;
  };
  FastP Counter() const { return FastP(thresholds_, convention_); }

  std::vector<double> thresholds_;
  FastIf convention_;
  std::map<std::int64_t, Line> lines_;
  std::unordered_map<std::int64_t, std::vector<Step>> trajectories_;  // Steps in the order of turns.
  std::int64_t rows_ = 0;
};

}  // namespace kgym::learn
