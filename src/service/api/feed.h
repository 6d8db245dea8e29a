// What goes on in the queue, kept beside the HTTP server so that a thousand waiting clients cost it no questions.
//
// It subscribes to the queue's changes: all that are queued or running, the latest that ended with what came of them,
// and the counts since the start that /metrics shows. Whoever waits for one task follows it.
//
// Threads: the HTTP server's executor.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/async.h"
#include "service/api/histogram.h"
#include "service/api/outcome_note.h"
#include "service/http/signal.h"
#include "service/queue/bounds.h"
#include "service/queue/queue.h"

namespace kgym::service {

class Follower;

/// A task that has ended, and what came of it.
struct Ending {
  Task task;  // Without payload and result.
  std::optional<OutcomeNote> note;
};

/// Counts since the server started, of what it saw the queue do.
struct FeedCounts {
  std::map<std::string, std::int64_t> outcomes;                               // Of verdicts, by outcome.
  std::array<std::int64_t, kTaskStates> ended{};                              // By the state that they ended in.
  Histogram wait{{0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600, 3600}};  // Seconds from submission to start.
  Histogram run{{0.01, 0.05, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300}};           // Seconds from start to end.
};

class Feed {
 public:
  /// `queue` must outlive it. Followers and watchers must be gone before it.
  Feed(Executor executor, Queue& queue);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  using Live = std::unordered_map<std::string, Task>;
  const Live& live() const { return live_; }  // Queued or running.

  /// 1 for the task that priority and age put first. None where it does not wait for a lane.
  std::optional<std::int64_t> Position(const Task& task) const;

  const std::deque<Ending>& endings() const { return endings_; }  // Newest first.
  const OutcomeNote* Note(const std::string& id) const;           // Of one of the latest; null where it is not known.
  const FeedCounts& counts() const { return counts_; }
  double EndedPerSecond();  // Over the last minute.

  /// How often something changed: for whoever draws a picture now and then.
  std::uint64_t version() const { return version_; }

  /// Something beside the queue changed that the picture shows.
  void Touch();

  /// Raised when something changes; one that is raised already costs nothing.
  void Watch(http::Signal* signal) { watchers_.push_back(signal); }
  void Unwatch(http::Signal* signal) { std::erase(watchers_, signal); }

 private:
  friend class Follower;
  using Order = __gnu_pbds::tree<std::uint64_t, __gnu_pbds::null_type, std::less<>, __gnu_pbds::rb_tree_tag,
                                 __gnu_pbds::tree_order_statistics_node_update>;

  void OnChanges(const Changes& changes);
  void OnChange(const Task& task);
  void Place(const Task& task);
  void Unplace(const Task& task);
  void OnEnd(const Task& task);
  Awaitable<void> ReadResults();
  void NoteEnding(const std::string& id, OutcomeNote note);

  Executor executor_;
  Queue& queue_;
  Live live_;
  std::array<Order, kPriorities> waiting_;  // Sequences of those that wait for a lane.
  std::unordered_map<std::string, std::vector<Follower*>> followers_;
  std::vector<http::Signal*> watchers_;
  std::deque<Ending> endings_;
  std::unordered_map<std::string, OutcomeNote> notes_;
  std::deque<std::string> noted_;    // In the order in which they are forgotten.
  std::deque<std::string> to_read_;  // Ids of ended tasks whose results have not been looked at.
  bool reading_ = false;
  FeedCounts counts_;
  RateMeter ended_;
  std::uint64_t version_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::unique_ptr<Subscription> subscription_;
};

/// Follows one task for as long as it lives. `changes` are those that nobody has looked at yet; where a slow follower
/// lets too many pile up, or the queue was out of sight, `lost` is set and the oldest are gone.
class Follower {
 public:
  Follower(Feed& feed, std::string id, http::Signal& signal);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  std::deque<Task> changes;
  bool lost = false;

 private:
  friend class Feed;
  void Tell(const Task* task);

  Feed& feed_;
  std::string id_;
  http::Signal& signal_;
};

}  // namespace kgym::service
