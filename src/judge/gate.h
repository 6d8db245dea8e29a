// The gate of one lane: who may measure, and when the others stand still.
//
// Evaluations share a device while they build, load and check. One at a time may measure: then every other host of the
// lane is stopped, so that nobody else launches a kernel or takes a core. Of those who wait, the one that will be done
// first goes first, but nobody is overtaken for ever: a wait of a few seconds outweighs any length.
//
// A host whose time is out because others measured would be failed for it, so the time that it stood still is credited
// to it (`Host::paused`), from `Quiet` on: until the device is known to be idle, a host that keeps it busy gets no
// credit, and is ended by its own limit.
//
// Hosts are made and ended meanwhile, which is the driver's work and seldom shows in anybody's times. Where clocks have
// disagreed, the one who measures asks for calm before it measures again: then nobody is made or ended until it is
// done.
//
// Threads: everything here runs on the lane's executor. Nothing blocks; waiting is `co_await`.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "base/async.h"
#include "base/clock.h"

namespace kgym::judge {

class Host;

struct GateStats {
  std::int64_t holds = 0;
  Duration held{};    // Measured, all holds together.
  Duration waited{};  // Before holds, all together.
};

class Gate {
 public:
  explicit Gate(Executor executor) : executor_(std::move(executor)) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Move-only; lets the next one in, and the others go on, when it ends.
  class Exclusive {
   public:
    Exclusive() = default;
    Exclusive(Exclusive&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Exclusive& operator=(Exclusive&& other) noexcept;
    ~Exclusive() { Release(); }

    /// The device is idle: from now on the others are credited.
    void Quiet();
    /// Returns when no host is being made or ended; none will be until the release.
    Awaitable<void> Calm();
    void Release();

   private:
    friend class Gate;
    explicit Exclusive(Gate* gate) : gate_(gate) {}
    Gate* gate_ = nullptr;
  };

  /// Move-only; a host is being made or ended for as long as it lives.
  class Change {
   public:
    Change() = default;
    Change(Change&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Change& operator=(Change&& other) noexcept;
    ~Change() { Done(); }

   private:
    friend class Gate;
    explicit Change(Gate* gate) : gate_(gate) { ++gate->changes_; }
    void Done();
    Gate* gate_ = nullptr;
  };

  /// Before a host is made or ended: waits while somebody measures who asked for calm.
  Awaitable<Change> BeginChange();

  /// `expected`: how long the caller will measure. A wrong guess costs order, never correctness. `own`: the hosts that
  /// go on.
  Awaitable<Exclusive> Measure(Duration expected, std::vector<Host*> own);

  /// Hosts of the lane, from when they are ready to their end. One that comes while somebody measures is stopped at
  /// once. While a host is made it is not stopped: making its context is the driver's work, and the lane's bottleneck.
  void Join(Host& host);
  void Leave(Host& host) { hosts_.erase(&host); }

  const GateStats& stats() const { return stats_; }

 private:
  struct Place {
    Instant order;
    Event* turn;
  };
  void Stop(std::vector<Host*> own);
  void Abandon(Event* turn);  // By one who was cancelled while it waited.
  Awaitable<void> Calm();
  void Release();

  Executor executor_;
  std::set<Host*> hosts_;
  std::vector<Host*> own_;
  std::vector<Place> waiting_;
  bool held_ = false;
  bool quiet_ = false;
  bool calm_ = false;
  int changes_ = 0;
  Event* settled_ = nullptr;       // Of the one who waits for calm.
  std::vector<Event*> held_back_;  // Changes that wait for the end of it.
  Instant held_since_{};
  GateStats stats_;
};

}  // namespace kgym::judge
