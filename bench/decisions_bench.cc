// What the judge's own thinking costs, without any host: hashing, reading a host's answer, deciding from rounds.
#include <benchmark/benchmark.h>

#include "base/hash.h"
#include "base/json.h"
#include "judge/problem.h"
#include "judge/timing.h"

namespace kgym::judge {
namespace {

void HashSource(benchmark::State& state) {
  const Submission submission{.name = "s", .source = std::string(static_cast<std::size_t>(state.range(0)), 'x')};
  for (auto _ : state) benchmark::DoNotOptimize(submission.Hash());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(HashSource)->Arg(4 << 10)->Arg(1 << 20);

void ReadAnswer(benchmark::State& state) {
  Json answer = {{"ok", true},
                 {"nonce", "0123456789abcdef"},
                 {"calls_ns", std::vector<int>(64, 123456)},
                 {"emits_ns", std::vector<int>(64, 2345)}};
  const std::string text = DumpJson(answer);
  for (auto _ : state) benchmark::DoNotOptimize(ParseJson(text));
}
BENCHMARK(ReadAnswer);

void SummarizeRounds(benchmark::State& state) {
  Round round;
  round.reference.calls_ms.assign(16, 1.0);
  round.candidate.calls_ms.assign(16, 0.5);
  const std::vector<Round> rounds(24, round);
  for (auto _ : state) benchmark::DoNotOptimize(Summarize(JudgeConfig{}.Completed().timing, rounds));
}
BENCHMARK(SummarizeRounds);

}  // namespace
}  // namespace kgym::judge
