// A lane: one device (a set of cores, or a GPU), its reference hosts, its candidate hosts kept ready, and its gate.
//
// `judge.at_once` evaluations share it; one at a time measures, through the gate. Reference hosts stay for the next
// evaluation of their problem (see reference_pool.h); candidate hosts serve once. The pool is refilled in the
// background.
//
// Threads: the executor it was made on.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/async.h"
#include "judge/card_watch.h"
#include "judge/host_maker.h"
#include "judge/judge_config.h"
#include "judge/lane_health.h"
#include "judge/memory_ledger.h"
#include "judge/nvml.h"
#include "judge/problem.h"
#include "judge/reference_pool.h"
#include "judge/session.h"

namespace kgym::judge {

/// A problem that cannot be judged: its own code is at fault.
struct ProblemFault {
  std::string message;
  std::string traceback;
  bool may_be_ours = false;  // Memory was short, or its process died: others on the device may have caused it.
};

/// What a lane computes on.
struct LaneDevice {
  std::vector<int> cpus;              // Of its hosts; of a CPU lane also what is measured on.
  std::string card;                   // The UUID of a GPU lane's card; empty for a CPU lane.
  Card found;                         // What is known of it.
  std::int64_t used_by_others = 0;    // Bytes of the card, before any host was made.
  const NvmlLibrary* nvml = nullptr;  // What tells of it; must outlive the lane.

  bool on_gpu() const { return !card.empty(); }
};

class Lane {
 public:
  /// `config` and `hosts` must outlive the lane.
  Lane(Executor executor, HostMaker& hosts, const JudgeConfig& config, LaneDevice device);

  /// A place on the lane, once its device works.
  Awaitable<AsyncSemaphore::Permit> Acquire();

  /// Empty where the device works, else what is wrong with it.
  std::string Illness() const { return health_.ill() ? health_.reason() : ""; }

  /// `told` is called with the illness when the device is taken out of use, and with an empty text when it works again;
  /// at once where it is ill now. Never after Close().
  void WatchHealth(std::function<void(const std::string& illness)> told);

  /// The device did not do what it must, whoever asked for it.
  void Suspect(const std::string& reason);

  /// The card reported a failure of its own, by `reports`: nobody is given a place any more, hosts that nobody uses are
  /// ended, and the lane comes back once a new one can be made. Several evaluations may bring the same failure.
  void Condemn(const std::string& reason, const CardReports& reports);

  struct Opened {
    ReferencePool::Lease reference;
    std::optional<ProblemFault> fault;
  };
  /// A reference host with the problem open; waits for room on the card. Needs a permit of the lane, as what follows.
  /// `counted`: the evaluation holds the whole card already.
  Awaitable<Result<Opened>> Open(const Problem& problem, const JudgeConfig& config, bool counted);

  /// What the problem checker finds, in a host of its own (see Judge::Examine).
  Awaitable<Result<Json>> Examine(const Problem& problem, ExamineScale scale);

  /// Room on the card, before anything is put there; waits until there is, and ends hosts that rest to make it.
  Awaitable<MemoryLedger::Claim> Reserve(std::int64_t bytes);

  /// All of the card that can be promised: no other evaluation runs while this is held.
  Awaitable<MemoryLedger::Claim> ReserveAll() { return Reserve(memory_.total()); }

  /// The lease ends, its evaluation over: `kept` bytes of the card stay with the host.
  Awaitable<void> Rest(ReferencePool::Lease reference, std::int64_t kept);

  /// A candidate host with these limits: one from the pool where they are the pool's, or a new one.
  Awaitable<Result<std::unique_ptr<Host>>> TakeCandidate(const LimitsConfig& limits) {
    return Take(HostKind::kCandidate, limits);
  }

  /// Makes up the pool in the background.
  void Refill();

  /// Ends a reference host: after a fault, the next evaluation gets a new one.
  Awaitable<void> Drop(ReferencePool::Lease reference) { return references_.Drop(std::move(reference)); }

  Gate& gate() { return gate_; }

  /// Clocks, temperature, power, memory and what throttles the card now; null on a CPU.
  Awaitable<Json> CardState();

  /// All that the card has reported as going wrong by now (see CardWatch::Look); nothing on a CPU.
  Awaitable<CardReports> Reports(Duration patience = Duration(0));

  /// Ends all hosts.
  Awaitable<void> Close();

  const LaneDevice& device() const { return device_; }
  const std::vector<int>& cpus() const { return device_.cpus; }
  int threads() const;      // That a host of it computes with.
  double gb_per_s() const;  // No memory of it is faster.

 private:
  HostSpec Spec(HostKind kind, const LimitsConfig& limits);
  Awaitable<void> Add(HostKind kind);
  Awaitable<Result<std::unique_ptr<Host>>> Take(HostKind kind, const LimitsConfig& limits);
  /// A new host; the lane's health learns how that went.
  Awaitable<Result<std::unique_ptr<Host>>> Make(HostSpec spec);
  void TakeOutOfUse(const std::string& reason, bool with_hosts);
  Awaitable<void> Recover(bool with_hosts);
  Awaitable<void> EndReady();
  /// Room to open a problem, by what it took before.
  Awaitable<MemoryLedger::Claim> ReserveToOpen(const std::string& key);
  void TellHealth() const;
  void Settle();  // One background task fewer.

  /// Hosts of one kind that are ready, and that are coming; how many are wanted.
  struct Ready {
    std::deque<std::unique_ptr<Host>> hosts;
    int coming = 0;
    int wanted = 0;
  };
  Ready& ready(HostKind kind) { return kind == HostKind::kReference ? ready_references_ : ready_candidates_; }

  Executor executor_;
  HostMaker& hosts_;
  const JudgeConfig& config_;
  LaneDevice device_;
  Gate gate_;
  AsyncSemaphore turn_;
  Event closing_;
  MemoryLedger memory_;
  ReferencePool references_;
  std::map<std::string, std::int64_t> open_bytes_;  // By a problem's key: what opening it took of the card.
  Ready ready_candidates_, ready_references_;
  int pending_ = 0;  // Tasks in the background.
  bool closed_ = false;
  LaneHealth health_;
  std::optional<CardReports> condemned_;                         // What the last failure of the card was known by.
  std::unique_ptr<CardWatch> watch_;                             // Of a GPU; used on nvml_'s thread alone.
  std::function<void(const std::string& illness)> health_told_;  // May be empty.
  std::shared_ptr<Event> well_;       // While the device is ill: set when it works again, or the lane closes.
  boost::asio::thread_pool nvml_{1};  // The driver answers when it has time: nobody else may wait for that.
  std::unique_ptr<Event> settled_;    // Set when nothing is pending any more, while the lane closes.
};

/// The cores to measure on: `configured`, or all that this process may use but the first, which serves the judge. At
/// least one.
Result<std::vector<int>> LaneCpus(const std::vector<std::string>& configured);

/// The cores for everything else: all that this process may use and no lane measures on; all where none is left.
std::vector<int> OtherCpus(const std::vector<int>& lane);

}  // namespace kgym::judge
