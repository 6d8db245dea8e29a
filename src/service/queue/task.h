// A task: one piece of work that the service has accepted, from its submission to its end.
//
// The queue knows nothing of kernels. What is to be done is `payload`, what came of it `result`; both are JSON text
// that the queue keeps and hands on, unread.
//
// Times are unix milliseconds (`_ms`), 0 where the thing has not happened. Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kgym::service {

enum class TaskState {
  kQueued,     // Waits to be leased, or for the identical task that it is attached to.
  kRunning,    // Leased by a worker.
  kDone,       // Ended with a result.
  kCancelled,  // Ended by its owner.
  kDead,       // Ended by us without a result: attempts used up, or its deadline passed. `reason` says why.
};

inline constexpr std::size_t kTaskStates = 5;

std::string_view Name(TaskState state);  // "queued", "running", "done", "cancelled", "dead".
std::optional<TaskState> ParseTaskState(std::string_view name);
inline bool Ended(TaskState state) { return state >= TaskState::kDone; }

inline constexpr int kPriorities = 3;  // 0 low, 1 normal, 2 high.

/// What is submitted. It never changes afterwards, but for a priority that identical work of a higher one raises.
struct TaskSpec {
  std::string id = {};      // Chosen by the submitter, 1 to 200 bytes; a task is known by it for as long as it is kept.
  std::string tenant = {};  // Who pays: fairness and bounds are between tenants, then between runs.
  std::string run = {};     // What it belongs to, such as one training run.
  int priority = 1;         // 0 low, 1 normal, 2 high.
  std::string content_key = {};                    // Equal where the work is identical; empty where nothing is known.
  std::map<std::string, std::string> labels = {};  // What a lane must have, such as card: H100.
  std::string affinity = {};     // Problem key: a lane whose reference host is warm for it is quicker.
  double expected_hold_s = 0;    // A guess at how long it will hold a lane. Costs order, never correctness.
  std::int64_t deadline_ms = 0;  // It is dead if it has not ended by then; 0 for none.
  int max_attempts = 3;          // Leases that may be lost or fail before it is dead.
  bool dedup = true;             // May take the result of identical work in flight.
  std::string payload = {};      // JSON text: the request of the evaluation or run.
};

struct Task {
  TaskSpec spec;
  TaskState state = TaskState::kQueued;
  std::int64_t submitted_ms = 0;
  std::int64_t started_ms = 0;  // Of the latest attempt.
  std::int64_t ended_ms = 0;
  int attempt = 0;               // How often it was leased; with `worker` it names one lease.
  int handed_back = 0;           // How many of those were handed back and do not count against max_attempts.
  std::int64_t lease_ms = 0;     // How long its lease lasts unless it is extended; a length, not a date.
  std::string worker = {};       // Who holds it, or held it last.
  std::string lane = {};         // Where it runs, or ran last.
  std::string stage = {};        // Progress while it runs: building, checking, timing; step:NAME.
  std::string result = {};       // JSON text, where it is done.
  std::string reason = {};       // Why it is dead, or why its latest attempt failed.
  std::string attached_to = {};  // Id of the identical task whose result it will take, or took; empty for its own work.
  std::uint64_t sequence = 0;    // Order of acceptance, from 1.
};

/// What makes two submissions of one id the same: tenant, labels, content key and payload. Priority, deadline and the
/// guesses may differ when a client asks again.
std::string Fingerprint(const TaskSpec& spec);

/// Equal for tasks that may share one result; empty for one that shares with nobody. Work is shared within a tenant,
/// and only where the same kind of lane is asked for.
std::string ShareKey(const TaskSpec& spec);

}  // namespace kgym::service
