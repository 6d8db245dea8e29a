// A CPU lane: the cores on which times are taken, a reference host with a problem open, and candidate hosts kept ready.
//
// One evaluation at a time has the lane. The reference host stays for as long as the same problem is asked for;
// candidate hosts serve once. The pool is refilled in the background, never while somebody measures.
//
// Threads: the executor it was made on.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/async.h"
#include "judge/host.h"
#include "judge/judge_config.h"
#include "judge/problem.h"
#include "judge/session.h"
#include "judge/zygote.h"

namespace kgym::judge {

/// A problem that cannot be judged: its own code is at fault.
struct ProblemFault {
  std::string message;
  std::string traceback;
};

class Lane {
 public:
  /// `config` and `zygote` must outlive the lane.
  Lane(Executor executor, Zygote& zygote, const JudgeConfig& config, std::vector<int> cpus);

  Awaitable<AsyncSemaphore::Permit> Acquire() { return turn_.Acquire(); }

  struct Opened {
    Host* host = nullptr;
    ProblemFacts facts;
    std::optional<ProblemFault> fault;
  };
  /// The reference host with the problem open; it belongs to the lane. Needs the lane.
  Awaitable<Result<Opened>> Open(const Problem& problem, const JudgeConfig& config);

  /// What the problem checker finds, in a host of its own: {"findings": [{kind, severity, message}]}. Needs the lane.
  Awaitable<Result<Json>> Examine(const Problem& problem);

  /// A candidate host with these limits: one from the pool where they are the pool's, or a new one.
  Awaitable<Result<std::unique_ptr<Host>>> TakeCandidate(const LimitsConfig& limits);

  /// Makes up the pool in the background.
  void Refill();

  /// Ends the reference host: after a fault, its next user gets a new one.
  Awaitable<void> DropReference();

  /// Ends all hosts.
  Awaitable<void> Close();

  const std::vector<int>& cpus() const { return cpus_; }

 private:
  HostSpec Spec(HostKind kind, const LimitsConfig& limits) const;
  Awaitable<void> Add();

  Executor executor_;
  Zygote& zygote_;
  const JudgeConfig& config_;
  std::vector<int> cpus_;
  AsyncSemaphore turn_;
  std::deque<std::unique_ptr<Host>> ready_;
  int coming_ = 0;
  bool closed_ = false;
  std::unique_ptr<Event> settled_;  // Set when nothing is coming any more, while the lane closes.
  std::unique_ptr<Host> reference_;
  std::string open_hash_;
  ProblemFacts open_facts_;
};

/// The cores to measure on: `configured`, or all that this process may use but the first, which serves the judge. At
/// least one.
Result<std::vector<int>> LaneCpus(const std::vector<std::string>& configured);

/// The cores for everything else: all that this process may use and no lane measures on; all where none is left.
std::vector<int> OtherCpus(const std::vector<int>& lane);

}  // namespace kgym::judge
