// Who works on the queue, as a server sees it: its own worker, and those of other processes that are on the roster.
//
// Threads: the HTTP server's executor.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/async.h"
#include "service/api/build_target.h"
#include "service/api/feed.h"
#include "service/api/worker_view.h"
#include "service/queue/roster.h"

namespace kgym::service {

class Crew {
 public:
  /// All must outlive it. `own` may be called from the executor at any time, and never gives null.
  Crew(Roster& roster, Feed& feed, std::function<SharedWorkerView()> own)
      : roster_(roster), feed_(feed), own_(std::move(own)) {}

  /// This process's; it may have no lanes.
  SharedWorkerView own() const { return own_(); }

  /// Its own first, where it has or will have lanes; then the others by name, as they were a moment ago.
  std::vector<SharedWorkerView> workers() const;

  /// Whether somebody takes tasks.
  bool ready() const;

  /// Why what waits will go on waiting as things were a moment ago: no lane has what it asks for, or those that have it
  /// are out of use. Empty where one works, or where lanes are still getting ready. Cheap: every submission asks.
  std::string WhyItWaits(const Task& task) const;

  /// The lanes that somebody else may build for.
  const std::set<BuildTarget>& build_targets() const { return offer_.build_targets; }

  /// Reads the roster every second, until cancelled.
  Awaitable<void> Follow();

  Roster& roster() { return roster_; }

 private:
  /// What lanes there are, and whether more may come by themselves.
  struct Offer {
    bool open = true;
    std::map<Labels, std::string> lanes;         // And why none of these labels works; empty where one does.
    std::map<std::string, std::string> lacking;  // Backends that a lane could run: what its machine lacks for it.
    std::set<BuildTarget> build_targets;
  };
  void Enter(const std::vector<Member>& members);
  Offer OfferNow() const;
  std::string WhatIsMissing(const Labels& wanted) const;

  Roster& roster_;
  Feed& feed_;
  std::function<SharedWorkerView()> own_;
  std::vector<SharedWorkerView> others_;
  Offer offer_;
  std::string last_;  // What the roster said, so that only news is told on.
};

}  // namespace kgym::service
