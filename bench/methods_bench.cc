// Throughput of the RL methods: rows a second for what works on turns, tokens a second for what works on tokens.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "learn/advantage_grpo.h"
#include "learn/advantage_loo.h"
#include "learn/bootstrap.h"
#include "learn/broadcast.h"
#include "learn/mismatch_metrics.h"
#include "learn/mrs.h"
#include "learn/pack.h"
#include "learn/policy_loss.h"
#include "learn/random.h"
#include "learn/returns.h"
#include "learn/turn_table.h"

namespace kgym::learn {
namespace {

constexpr std::size_t kRows = 1'000'000;
constexpr std::size_t kTurns = 3, kRollouts = 16;

/// A million turns: prompts of 16 rollouts of 3 turns.
struct Turns {
  Turns() : rewards(kRows), out(kRows), prompts(kRows), trajectories(kRows), turns(kRows), kept(kRows) {
    Random random(1);
    for (std::size_t row = 0; row < kRows; ++row) {
      rewards[row] = random.Uniform() < 0.5 ? 0 : 2.5 * random.Uniform();
      turns[row] = static_cast<std::int64_t>(row % kTurns) + 1;
      trajectories[row] = static_cast<std::int64_t>(row / kTurns);
      prompts[row] = static_cast<std::int64_t>(row / kTurns / kRollouts);
      kept[row] = random.Uniform() < 0.95;
    }
  }
  TurnRows rows() const { return {trajectories, turns, kept}; }
  std::vector<double> rewards, out;
  std::vector<std::int64_t> prompts, trajectories, turns;
  std::vector<std::uint8_t> kept;
};

Turns& TheTurns() {
  static Turns turns;
  return turns;
}

/// 1,536 rows of 2,048 tokens, three rows an episode.
struct Tokens {
  static constexpr std::size_t kTokenRows = 1536, kColumns = 2048;
  Tokens()
      : offsets(PaddedOffsets(kTokenRows, kColumns)),
        mask(kTokenRows * kColumns),
        accepted(mask.size()),
        log_probs(mask.size()),
        old_log_probs(mask.size()),
        gradient(mask.size()),
        advantages(kTokenRows) {
    Random random(2);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      mask[i] = i % kColumns < 1536;
      log_probs[i] = -2 * random.Uniform();
      old_log_probs[i] = log_probs[i] + 0.02 * random.Normal();
    }
    for (std::size_t row = 0; row < kTokenRows; ++row) {
      advantages[row] = random.Normal();
      trajectories.push_back(static_cast<std::int64_t>(row / kTurns));
    }
  }
  MismatchInput mismatch() const { return {{offsets, mask}, log_probs, old_log_probs, trajectories}; }
  std::vector<std::int64_t> offsets, trajectories;
  std::vector<std::uint8_t> mask, accepted;
  std::vector<double> log_probs, old_log_probs, gradient, advantages;
};

Tokens& TheTokens() {
  static Tokens tokens;
  return tokens;
}

/// 1,536 rows of up to 8,192 tokens: 100 MB, more than any cache holds.
struct LongRows {
  static constexpr std::size_t kLongRows = 1536, kColumns = 8192;
  LongRows() : offsets(PaddedOffsets(kLongRows, kColumns)), mask(kLongRows * kColumns), values(kLongRows, 0.5) {
    Random random(4);
    for (std::size_t row = 0; row < kLongRows; ++row) {
      const std::size_t length = kColumns / 4 + random.Below(kColumns * 3 / 4 + 1);
      std::fill_n(mask.begin() + static_cast<std::ptrdiff_t>(row * kColumns), length, std::uint8_t{1});
      counted += length;
    }
    tokens.resize(mask.size(), 1.0);
  }
  TokenRows rows() const { return {offsets, mask}; }
  std::vector<std::int64_t> offsets;
  std::vector<std::uint8_t> mask;
  std::vector<double> values, tokens;
  std::size_t counted = 0;  // Tokens that count.
};

LongRows& TheLongRows() {
  static LongRows rows;
  return rows;
}

/// Bytes of doubles read or written: bytes_per_second beside that of Memset is how near to the memory's bound it is.
void CountDoubles(benchmark::State& state, std::size_t doubles) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(doubles * sizeof(double)));
}

void CountItems(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
}

void ReturnsOfTurns(benchmark::State& state) {
  Turns& data = TheTurns();
  for (auto _ : state) Returns(data.rewards, data.rows(), {.gamma = 0.4}, data.out).value();
  CountItems(state, kRows);
}
BENCHMARK(ReturnsOfTurns)->Unit(benchmark::kMillisecond);

void GroupByPromptAndTurn(benchmark::State& state) {
  const Turns& data = TheTurns();
  for (auto _ : state) benchmark::DoNotOptimize(GroupBy(data.prompts, data.turns, data.kept));
  CountItems(state, kRows);
}
BENCHMARK(GroupByPromptAndTurn)->Unit(benchmark::kMillisecond);

/// Grouping included.
void Trloo(benchmark::State& state) {
  Turns& data = TheTurns();
  for (auto _ : state) {
    LeaveOneOut(data.rewards, GroupBy(data.prompts, data.turns, data.kept).value(), {}, data.out).value();
  }
  CountItems(state, kRows);
}
BENCHMARK(Trloo)->Unit(benchmark::kMillisecond);

void Grpo(benchmark::State& state) {
  Turns& data = TheTurns();
  for (auto _ : state) {
    GroupRelative(data.rewards, GroupBy(data.prompts, data.turns, data.kept).value(), {}, data.out).value();
  }
  CountItems(state, kRows);
}
BENCHMARK(Grpo)->Unit(benchmark::kMillisecond);

void TableOfTurns(benchmark::State& state) {
  const Turns& data = TheTurns();
  for (auto _ : state) {
    TurnTable table;
    for (std::size_t row = 0; row < kRows; ++row) {
      table
          .Add({.trajectory = data.trajectories[row],
                .turn = data.turns[row],
                .compiled = true,
                .correct = data.rewards[row] > 0,
                .speedup = data.rewards[row],
                .coverage = 0.5})
          .value();
    }
    benchmark::DoNotOptimize(table.BestByTurn());
  }
  CountItems(state, kRows);
}
BENCHMARK(TableOfTurns)->Unit(benchmark::kMillisecond);

void GeometricMeanWithInterval(benchmark::State& state) {
  const Turns& data = TheTurns();
  for (auto _ : state) {
    GeometricMean mean;
    for (std::size_t row = 0; row < kRows / 10; ++row) mean.Add(0.5 + data.rewards[row], data.prompts[row]).value();
    benchmark::DoNotOptimize(mean.Finish(0.95));
  }
  CountItems(state, kRows / 10);
}
BENCHMARK(GeometricMeanWithInterval)->Unit(benchmark::kMillisecond);

void PackRows(benchmark::State& state) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(state.range(0)));
  Random random(3);
  for (std::int64_t& length : lengths) length = static_cast<std::int64_t>(random.Below(8192));
  for (auto _ : state) benchmark::DoNotOptimize(PackByBudget(lengths, 32768));
  CountItems(state, lengths.size());
}
BENCHMARK(PackRows)->Arg(1536)->Arg(100'000)->Unit(benchmark::kMillisecond);

/// The bound of what writes a number for each token. Not of zeros: some machines have a quicker way for those alone.
void MemsetOfTokens(benchmark::State& state) {
  LongRows& data = TheLongRows();
  for (auto _ : state) {
    std::memset(data.tokens.data(), 1, data.tokens.size() * sizeof(double));
    benchmark::ClobberMemory();
  }
  CountDoubles(state, data.tokens.size());
}
BENCHMARK(MemsetOfTokens)->Unit(benchmark::kMillisecond);

void BroadcastToTokens(benchmark::State& state, Masked masked) {
  LongRows& data = TheLongRows();
  for (auto _ : state) Broadcast(data.values, data.rows(), masked, data.tokens).value();
  CountDoubles(state, masked == Masked::kZero ? data.tokens.size() : data.counted);
}
BENCHMARK_CAPTURE(BroadcastToTokens, all, Masked::kZero)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BroadcastToTokens, unmasked_only, Masked::kLeave)->Unit(benchmark::kMillisecond);

void SumsOfRows(benchmark::State& state) {
  LongRows& data = TheLongRows();
  for (auto _ : state) RowSums(data.tokens, data.rows(), data.values).value();
  CountDoubles(state, data.counted);
}
BENCHMARK(SumsOfRows)->Unit(benchmark::kMillisecond);

void Loss(benchmark::State& state, Objective objective) {
  Tokens& data = TheTokens();
  const PolicyLossOptions options{.objective = objective};
  for (auto _ : state) {
    const PolicyLossInput input{{data.offsets, data.mask}, data.log_probs, data.old_log_probs, data.advantages};
    benchmark::DoNotOptimize(ComputePolicyLoss(input, options, data.gradient));
  }
  CountItems(state, data.mask.size());
}
BENCHMARK_CAPTURE(Loss, ppo_clip, Objective::kPpoClip)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Loss, gspo, Objective::kGspo)->Unit(benchmark::kMillisecond);

void Mrs(benchmark::State& state) {
  Tokens& data = TheTokens();
  for (auto _ : state) benchmark::DoNotOptimize(MrsMask(data.mismatch(), {}, data.accepted));
  CountItems(state, data.mask.size());
}
BENCHMARK(Mrs)->Unit(benchmark::kMillisecond);

void Metrics(benchmark::State& state) {
  const Tokens& data = TheTokens();
  for (auto _ : state) benchmark::DoNotOptimize(MeasureMismatch(data.mismatch()));
  CountItems(state, data.mask.size());
}
BENCHMARK(Metrics)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kgym::learn
