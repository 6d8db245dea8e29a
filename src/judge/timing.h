// The timing stage: rounds of one batch of the reference and one of the candidate, on the same fresh inputs.
//
// In a round the candidate is frozen; the reference host writes new secret inputs; then either side, in random order,
// calls its forward on each of them. Before each side's batch the inputs are written again, so that both meet the same
// memory in the same state. The judge's clock runs from before the candidate is thawed until its answer is there; a
// slot picked at random afterwards is verified.
//
// Two clocks: the host's own (around each call) and the judge's (around the batch). What the judge's clock shows beyond
// the calls, the copying and the messages, as measured on the reference's side where nobody cheats, must be small, or
// the times are rejected. docs/timing.md has the reasoning.
//
// Times are milliseconds. Threads: the lane's executor; the pure functions from any.
#pragma once

#include <optional>
#include <vector>

#include "judge/ruling.h"
#include "judge/session.h"
#include "judge/statistics.h"

namespace kgym::judge {

/// What one batch of one side took.
struct Batch {
  std::vector<double> warmup_ms;  // Calls that only bring memory and caches into their usual state.
  std::vector<double> calls_ms;   // By the host's clock.
  double emits_ms = 0;            // Copying outputs, all calls together, by the host's clock.
  double judge_ms = 0;            // By the judge's clock, from waking the host to its answer; with `after_ms`.
  double starved_ms = 0;          // For how much of that others kept the host from going on (cpu_account.h).
  double cpu_ms = 0;  // CPU time that the host's processes used meanwhile, by the kernel's account; on a GPU the
                      // judge's clock again, less `starved_ms`.
  std::vector<double> launch_ms;        // On a GPU: how long each call kept the CPU, warm-up too.
  std::vector<double> enqueue_ms;       // On a GPU: the same with copying its outputs out.
  std::vector<double> ahead_ms;         // On a GPU: the work before each call, behind which its launch hides.
  double before_ms = 0, behind_ms = 0;  // By the host's clock: from being woken to the first call, and from the last to
                                        // our hearing of it.
  double after_ms = 0;                  // CPU time that its processes used between the answer and standing still.
  double drain_ms = 0;                  // On a GPU: how long other streams worked on when the calls' own was done.

  double sum() const;  // Of all calls, warm-up too.
  double median() const;
};

struct Round {
  Batch reference;
  Batch candidate;
  bool ran_on = false;  // The card was not idle when the candidate had answered: the round says nothing.
};

/// How much of a batch the judge's clock saw and the candidate's host does not account for, beyond what is so on the
/// reference's side of the same round: as a share of the batch and in milliseconds, medians over the rounds.
///
/// What the judge knows of a batch is the lesser of its own clock and the CPU time that the kernel saw used: other work
/// on the machine adds to the first alone, and time in which a host did nothing is no hidden work. Neighbouring batches
/// are compared, which a busy machine disturbs alike; who hides work in fewer than half of the rounds gains nothing by
/// it, since a speedup is a median too.
struct Excess {
  double share = 0;
  double ms = 0;
  double after_ms = 0;  // CPU time between its answer and standing still, beyond the reference's.
};

struct Measurement {
  std::vector<Round> rounds;
  int calls = 0;   // Of a batch, that count.
  int warmup = 0;  // Of a batch, before those.
  Summary reference, candidate;
  double speedup = 0;
  Interval speedup_interval;  // Its low end is never above `vouched_speedup`.
  Excess clock_excess;
  double vouched_speedup =
      0;                // If all that the judge's clock saw, and the candidate's does not account for, were calls.
  double drain_ms = 0;  // Median of the candidate's batches.
  double skew = 1;      // See SkewFactor; candidate and speedup have it in them.
  double floor_ms = 0;  // No call that reads its inputs can be faster.
  double gb_per_s = 0;  // That follows from.
  std::optional<double> reference_launch_ms, candidate_launch_ms;  // CPU time of a call, median; on a GPU.
  Duration waited{};                                               // At the gate, and for the card to be idle.
  double dry_share = 0;  // On a GPU: candidate's calls whose launch was not hidden, so that it is in their time.
  std::optional<double> reference_latency_ms, candidate_latency_ms;  // On a GPU: see docs/timing.md.
  std::optional<double> observed_ms;  // Kernels of the observed call on all streams, by CUPTI.
  int measured = 1;                   // How often, since clocks disagreed.

  Json ToJson() const;
};

/// The times that a host reports under `key`, in milliseconds; an error where they are not `calls` times.
Result<std::vector<double>> ReadTimes(const Json& reply, std::string_view key, int calls);

/// The calls of a batch: those that only warm up, then those that count.
struct BatchShape {
  int warmup = 0;
  int calls = 1;
  Duration limit{};  // Of a batch of the candidate's.
};

/// Counted calls that take about `batch` by the faster side, whose inputs are made within `generate`, and which the
/// arena holds; at least three, and warm-up calls before them, but for calls so long that neither is needed.
BatchShape ShapeBatch(const TimingConfig& config, const ProblemFacts& facts, Duration candidate_call, int slots);

/// How long such a batch of the candidate's may take: so many times as long as its fastest call so far, all together,
/// and one of them as long as any call may. A candidate must not hold up a lane by being slow only where all others
/// wait.
Duration BatchLimit(const LimitsConfig& limits, BatchShape shape, Duration candidate_call);

/// How many slots an arena needs for the batches that may come, and for correctness.
int SlotsFor(const TimingConfig& config, const ProblemFacts& facts);

/// How long the work ahead of each call must be, so that the launches of either side hide behind it. The first round is
/// measured with `kFirstDelay`.
Duration DelayFor(const Round& round);
inline constexpr Duration kFirstDelay = 200us;

/// Whether to stop after these rounds.
bool Enough(const TimingConfig& config, const std::vector<Round>& rounds, Duration spent);

/// See Excess.
Excess ClockExcess(const std::vector<Round>& rounds);

/// By how much (1 or more) the candidate's median is to be raised because its host puts more of each batch into few
/// calls than the reference's does: the judge's clock vouches for a batch, not for how its calls share it.
double SkewFactor(const std::vector<Round>& rounds);

/// What the rounds say of the candidate's calls, for what is sampled among them; nothing is admitted yet.
SampledCalls CallsOf(const std::vector<Round>& rounds);

/// Medians, speedup and intervals of the rounds.
Measurement Summarize(const TimingConfig& config, std::vector<Round> rounds);

/// What the finished measurement says against the submission, if anything: clocks that disagree, a time below the
/// floor.
MaybeRuling JudgeTimes(const TimingConfig& config, const Measurement& measurement);

/// The shortest time in which the inputs can be read and the outputs written at the peak rate; 0 where the reference
/// itself is faster than that.
double FloorMs(double gb_per_s, const ProblemFacts& facts, double reference_ms);

Awaitable<Result<MaybeRuling>> Measure(Session& session, Duration candidate_call, Measurement& measurement);

}  // namespace kgym::judge
