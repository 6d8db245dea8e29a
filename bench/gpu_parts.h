// The parts of gpu_bench, each a coroutine that measures one thing and reports it.
//
// Threads: the judge's executor; one part at a time.
#pragma once

#include <string>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "gpu_card.h"
#include "gpu_load.h"
#include "gpu_report.h"
#include "judge/judge.h"

namespace kgym::bench {

struct Options {
  std::string cases = "cases/gpu";
  std::string problems;  // Empty: beside the working folder or the binary.
  std::string json;
  std::vector<std::string> set, only;
  int seconds = 60;    // Of the throughput's part.
  int in_flight = 20;  // Evaluations asked for at once.
  int group = 1;       // Submissions of one problem in a row.
  int mix = 24;        // Problems of the throughput part; 0: every kernel there is.
  bool full = false;   // The counts that results are published with.
};

struct Bench {
  judge::Judge& judge;
  judge::JudgeConfig config;  // As it was asked for.
  const Options& options;
  Report& report;
  std::vector<Item> triton, cuda, faults;
  std::optional<judge::Card> card;
  Instant process_start;
  std::optional<double> card_mb_before;  // Before the judge was started.

  /// The first number with --full, else the second.
  std::size_t Count(std::size_t full, std::size_t shortened) const { return options.full ? full : shortened; }
};

/// What `runs` evaluations of a part called `name` left behind, by looks at settled moments.
void ReportGrowth(const std::string& name, const Taken& before, const Taken& after, std::size_t runs, Report& report);

/// With judge.trace: what was asked of the hosts, by kind, an evaluation.
void ReportAsked(const std::vector<Ran>& all, Report& report);

Awaitable<void> Cold(Bench& bench);           // From the start of the process to the first verdict.
Awaitable<void> Memory(Bench& bench);         // What a host costs.
Awaitable<void> Throughput(Bench& bench);     // Distinct Triton submissions.
Awaitable<void> Cached(Bench& bench);         // CUDA submissions whose build is known.
Awaitable<void> Overhead(Bench& bench);       // What an evaluation takes beside the code it runs.
Awaitable<void> Repeatability(Bench& bench);  // The same kernel again, at rest and in a crowd.
Awaitable<void> Itself(Bench& bench);         // The reference against itself.
Awaitable<void> Isolation(Bench& bench);      // Honest submissions among faults.

}  // namespace kgym::bench
