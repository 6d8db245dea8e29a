// One evaluation's two hosts and what passes between them: a reference host that has the problem open, a candidate
// host, an arena.
//
// Requests to the reference host that fail are the judge's fault (an error of the Result); what a candidate host
// answers is for the stage to rule on. Also keeps the accounts: how long foreign code ran, and how much CPU time the
// candidate used while nothing was asked of it.
//
// Threads: the lane's executor.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "judge/gate.h"
#include "judge/host.h"
#include "judge/judge_config.h"
#include "judge/ruling.h"
#include "judge/work_samples.h"

namespace kgym::judge {

/// What the reference host told of a problem when it opened it.
struct ProblemFacts {
  Json description;
  std::int64_t input_bytes = 0;
  std::int64_t output_bytes = 0;
  std::int64_t resident_bytes = 0;  // Of a card, that an opened problem keeps: weights, an example, its answer.
  std::int64_t peak_bytes = 0;      // Of a card, that a call of the reference takes beside its inputs.
  Duration generate{};              // Making one input set.
  Duration forward{};               // One call of the reference.
};

/// A slot of the arena with inputs in it, as a candidate is told of it.
struct Filled {
  int slot = 0;
  Json inputs;  // A tree.
  Json output;  // [begin, end).
};

/// What the hosts of a session run on.
struct Ground {
  Gate* gate = nullptr;  // Passed before times are taken.
  bool on_gpu = false;
  double gb_per_s = 1000;            // No memory is faster.
  double event_cost_ms = 0;          // What two events add to the time of what they stand around.
  std::int64_t candidate_bytes = 0;  // What its allocator may take of a card; 0: all there is.
  Shown shown = {};
};

class Session {
 public:
  Session(Host& reference, Host& candidate, const JudgeConfig& config, ProblemFacts facts, Ground ground,
          double limit_scale)
      : reference_(reference),
        candidate_(candidate),
        config_(config),
        facts_(std::move(facts)),
        ground_(ground),
        limit_scale_(limit_scale) {}

  const JudgeConfig& config() const { return config_; }
  const ProblemFacts& facts() const { return facts_; }
  Host& reference() { return reference_; }
  Host& candidate() { return candidate_; }
  int slots() const { return slots_; }
  const Ground& ground() const { return ground_; }
  std::vector<Host*> hosts() { return {&reference_, &candidate_}; }
  int pattern() const { return pattern_; }

  /// Makes the arena and gives it to the candidate.
  Awaitable<Result<MaybeRuling>> Begin(int slots);

  /// The load request's share that comes from the arena: init inputs, weights, bait.
  const Json& begun() const { return begun_; }

  struct Set {
    int slot = 0;
    std::string kind = "fresh";              // fresh, spiked, near, nudged, same.
    int from = -1;                           // The slot that `near`, `nudged` and `same` start from.
    std::optional<std::uint64_t> seed = {};  // A new secret one where nothing is said.
  };
  Awaitable<Result<std::vector<Filled>>> Fill(std::vector<Set> sets);
  Awaitable<Status> Refill(std::vector<int> slots);

  Awaitable<Result<Json>> AskReference(Json request, Duration limit);

  /// Limits are scaled for slow backends. The time until the answer is counted as foreign code's where that is what was
  /// asked for (load, call, batch, ...), and as the judge's where it looks at something (observe, settle, inspect).
  Awaitable<Answer> AskCandidate(Json request, std::vector<int> fds, Duration limit);
  MaybeRuling Rule(const Answer& answer, std::string_view stage) const {
    return RuleOnAnswer(answer, stage, candidate_.OutOfMemory());
  }

  /// What was seen in the observed call; null where none was, or where it does not matter whose work it is.
  Json observed;
  /// What was seen from outside in batches like the timed ones, and what their times say.
  WorkSamples samples;
  SampledCalls sampled_calls;

  /// Compares what the candidate left in a slot.
  Awaitable<Result<Json>> Check(int slot, const Json& outputs);

  /// {"fill": {"count", "ms"}, ...}: what was asked of the reference host, and by "candidate:..." of the candidate.
  Json Spent() const;

  void CountCode(Duration time) { code_ += time; }
  Duration code() const { return code_; }  // Of the submission, and of the reference where it was timed.
  Duration problem_code() const { return problem_code_; }  // Of the problem besides: its inputs, its answers.

  /// CPU time that the candidate used while it owed no answer, and how long that was; see IdleShare().
  void WatchIdle(bool idle);
  Duration idle_wall() const { return idle_wall_; }
  Duration idle_cpu() const { return idle_cpu_; }

 private:
  void Note(const std::string& op, Duration time);

  Host& reference_;
  Host& candidate_;
  const JudgeConfig& config_;
  ProblemFacts facts_;
  Ground ground_;
  double limit_scale_;
  int slots_ = 0;
  int pattern_ = 0;
  int poison_ = 0;
  Json begun_;
  struct Asked {
    int count = 0;
    Duration time{};
  };
  std::map<std::string, Asked> asked_;
  Duration code_{};
  Duration problem_code_{};
  bool idle_ = false;
  Instant idle_since_{};
  std::int64_t idle_cpu_start_ = 0;
  Duration idle_wall_{};
  Duration idle_cpu_{};
};

}  // namespace kgym::judge
