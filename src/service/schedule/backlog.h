// All that waits, arranged so that the next task for a pool of lanes is found in logarithmic time.
//
// A pool is the lanes of equal labels. Each pool shares itself fairly among the tenants that want it, and a tenant's
// share among its runs; what a tenant holds elsewhere does not count, since an hour of a CPU is not an hour of a card.
// Within a run the task that is due first is next (policy.h).
//
//   tenant -> run -> demand (a set of wanted labels) -> tasks by due moment, and by problem
//
// Threads: one at a time. No clock, no randomness, no order that depends on hashing: the same calls give the same
// answers everywhere.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "service/schedule/fair_shares.h"
#include "service/schedule/policy.h"
#include "service/schedule/waiting.h"

namespace kgym::service {

using PoolId = std::size_t;

/// What was counted against a tenant and a run when a task was taken; Settle() mends it once the true hold is known.
struct Charge {
  PoolId pool = 0;
  std::string tenant, run;
  double seconds = 0;
  double price = 1;  // Of a second, to the run.
};

class Backlog {
 public:
  explicit Backlog(Policy policy = {});
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;

  const Policy& policy() const { return policy_; }
  std::size_t size() const { return entries_.size(); }
  bool Contains(const std::string& id) const { return entries_.contains(id); }

  /// False, and nothing happens, where a task of this id waits already.
  bool Add(Waiting task);
  /// False where it does not wait.
  bool Remove(const std::string& id);
  /// Nothing waits afterwards; pools stay.
  void Clear();

  /// The pool of lanes with these labels; made on first use, which looks at every waiting task once.
  PoolId PoolFor(const Labels& labels);
  std::size_t pools() const { return pools_.size(); }
  /// How many kinds of demand among what waits the pool can serve: few for lanes that can do little.
  std::size_t Breadth(PoolId pool) const;
  /// Whether some pool's lanes have what the task asks for.
  bool Servable(const Labels& wanted) const;

  /// The task that the pool should serve next, or null. Valid until the backlog changes.
  const Waiting* Next(PoolId pool) const;
  /// A task of the same tenant and run, of one of these problems, that is due at most affinity_slack after Next().
  const Waiting* NextWarm(PoolId pool, std::span<const std::uint64_t> warm) const;
  /// It goes to a lane of the pool: it waits no longer, and its hold is charged.
  Charge Take(PoolId pool, const std::string& id);
  void Settle(const Charge& charge, double held_s);

  /// Takes out all whose deadline is not after `now_ms`, earliest first.
  std::vector<std::string> TakeExpired(std::int64_t now_ms);

 private:
  using DemandId = std::size_t;

  struct Place {
    std::int64_t due_ms;
    std::uint64_t sequence;
    auto operator<=>(const Place&) const = default;
  };
  struct Entry {
    Waiting task;
    Place place;
    DemandId demand;
  };
  using Tasks = std::map<Place, const Entry*>;
  struct Flow {
    Tasks by_due;
    std::map<std::uint64_t, Tasks> by_affinity;
  };
  using Run = std::map<DemandId, Flow>;
  struct Demand {
    Labels wanted;
    std::size_t waiting = 0;
  };
  struct Pool {
    Labels labels;
    std::vector<bool> serves;  // By demand.
    FairShares tenants;
    std::map<std::string, FairShares> runs;  // By tenant.
  };

  DemandId DemandFor(const Labels& wanted);  // The place of one that nothing asks for any more is used again.
  const Run& NextRun(const Pool& pool) const;
  void Enter(Pool& pool, const Entry& entry);
  void Leave(Pool& pool, const Entry& entry);
  void Insert(const Entry& entry);
  void Erase(const Entry& entry);

  Policy policy_;
  std::unordered_map<std::string, Entry> entries_;  // Looked up, never walked in an order that matters.
  std::map<std::string, std::map<std::string, Run>> tenants_;
  std::vector<Demand> demands_;
  std::vector<Pool> pools_;
  std::set<std::pair<std::int64_t, std::string>> deadlines_;
};

}  // namespace kgym::service
