#include "learn/turn_table.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text.h"

namespace kgym::learn {
namespace {

/// Means of the four quarters, the fastest first. Of n values, quarter q has those from q n / 4 to (q + 1) n / 4.
std::vector<double> QuartileMeans(std::vector<double> speedups) {
  if (speedups.empty()) return {};
  std::ranges::sort(speedups, std::greater<>());
  std::vector<double> means;
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    Moments moments;
    const std::size_t end = (quarter + 1) * speedups.size() / 4;
    for (std::size_t i = quarter * speedups.size() / 4; i < end; ++i) moments.Add(speedups[i]);
    means.push_back(moments.mean());
  }
  return means;
}

double Share(std::int64_t part, std::int64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

/// A speedup that was not measured makes no row fast.
void Count(FastP& counter, bool correct, double speedup) { counter.Add(correct && speedup > 0, speedup).value(); }

Json JsonOf(const Moments& moments) {
  return {{"count", moments.count()}, {"mean", moments.mean()}, {"min", moments.min()}, {"max", moments.max()}};
}

}  // namespace

Status TurnTable::Add(const TurnRow& row) {
  const auto where = [&] { return Concat("trajectory ", row.trajectory, ", turn ", row.turn, ": "); };
  if (row.turn < 1) return Error{Concat(where(), "turns count from 1; leave padding out")};
  if (row.correct && !(std::isfinite(row.speedup) && row.speedup >= 0)) {
    return Error{Concat(where(), "speedup is ", row.speedup, "; a finite number, 0 or more, is expected")};
  }
  if (row.correct && !(row.coverage >= 0 && row.coverage <= 1)) {
    return Error{Concat(where(), "coverage is ", row.coverage, "; a share from 0 to 1 is expected")};
  }
  std::vector<Step>& steps = trajectories_[row.trajectory];
  const auto place = std::ranges::lower_bound(steps, row.turn, {}, &Step::turn);
  if (place != steps.end() && place->turn == row.turn) return Error{Concat(where(), "was added before")};
  steps.insert(place, Step{row.turn, row.correct, row.correct ? row.speedup : 0});

  Line& line = lines_[row.turn];
  ++rows_;
  ++line.count;
  line.compiled += row.compiled;
  if (!row.correct) return Ok();
  ++line.correct;
  if (row.speedup > 0) line.speedups.push_back(row.speedup);
  line.coverage.Add(row.coverage);
  line.coverage_sum += row.coverage;
  return Ok();
}

std::vector<TurnSummary> TurnTable::Turns() const {
  std::vector<TurnSummary> summaries;
  for (const auto& [turn, line] : lines_) {
    TurnSummary summary{.turn = turn,
                        .count = line.count,
                        .compilation_rate = Share(line.compiled, line.count),
                        .correctness_rate = Share(line.correct, line.count),
                        .coverage = line.coverage,
                        .coverage_in_all = line.coverage_sum / static_cast<double>(line.count)};
    FastP fast = Counter();
    for (double speedup : line.speedups) {
      summary.speedup.Add(speedup);
      Count(fast, true, speedup);
    }
    for (std::size_t i = 0; i < thresholds_.size(); ++i) {
      const double fast_rows = fast.AmongCorrect(i) * static_cast<double>(fast.correct());
      summary.fast_among_correct.push_back(line.correct == 0 ? 0 : fast_rows / static_cast<double>(line.correct));
      summary.fast_in_all.push_back(fast_rows / static_cast<double>(line.count));
    }
    summary.quartile_speedups = QuartileMeans(line.speedups);
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

std::vector<BestSummary> TurnTable::BestByTurn() const {
  std::vector<BestSummary> summaries;
  for (const auto& [turn, line] : lines_) {
    BestSummary summary{.turn = turn};
    FastP fast = Counter();
    for (const auto& [trajectory, steps] : trajectories_) {
      bool solved = false;
      double best = 0;
      for (const Step& step : steps) {
        if (step.turn > turn) break;
        solved |= step.correct;
        best = std::max(best, step.speedup);
      }
      summary.solved += solved;
      if (best > 0) summary.speedup.Add(best);
      Count(fast, solved, best);
    }
    for (std::size_t i = 0; i < thresholds_.size(); ++i) summary.fast_in_all.push_back(fast.InAll(i));
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

Improvement TurnTable::Change() const {
  Improvement change{.trajectories = static_cast<std::int64_t>(trajectories_.size())};
  std::int64_t first = 0, last = 0;
  for (const auto& [trajectory, steps] : trajectories_) {
    first += steps.front().correct;
    last += steps.back().correct;
    change.improved += !steps.front().correct && steps.back().correct;
    change.regressed += steps.front().correct && !steps.back().correct;
  }
  change.first_turn_correct_rate = Share(first, change.trajectories);
  change.last_turn_correct_rate = Share(last, change.trajectories);
  return change;
}

Json TurnTable::ToJson() const {
  Json turns = Json::array(), best = Json::array();
  for (const TurnSummary& turn : Turns()) {
    turns.push_back({{"turn", turn.turn},
                     {"count", turn.count},
                     {"compilation_rate", turn.compilation_rate},
                     {"correctness_rate", turn.correctness_rate},
                     {"speedup", JsonOf(turn.speedup)},
                     {"quartile_speedups", turn.quartile_speedups},
                     {"thresholds", thresholds_},
                     {"fast_among_correct", turn.fast_among_correct},
                     {"fast_in_all", turn.fast_in_all},
                     {"coverage", JsonOf(turn.coverage)},
                     {"coverage_in_all", turn.coverage_in_all}});
  }
  for (const BestSummary& line : BestByTurn()) {
    best.push_back({{"turn", line.turn},
                    {"solved", line.solved},
                    {"speedup", JsonOf(line.speedup)},
                    {"fast_in_all", line.fast_in_all}});
  }
  const Improvement change = Change();
  return {{"turns", turns},
          {"best_by_turn", best},
          {"improvement",
           {{"trajectories", change.trajectories},
            {"first_turn_correct_rate", change.first_turn_correct_rate},
            {"last_turn_correct_rate", change.last_turn_correct_rate},
            {"improved", change.improved},
            {"regressed", change.regressed},
            {"net", change.net()}}}};
}

}  // namespace kgym::learn
