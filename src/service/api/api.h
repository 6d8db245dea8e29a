// The API `/v1` over a queue: what its routes share, and where they are made.
//
// Threads: the HTTP server's executor.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "judge/judge_config.h"
#include "service/api/catalogue.h"
#include "service/api/crew.h"
#include "service/api/end_reader.h"
#include "service/api/feed.h"
#include "service/api/workflow_catalogue.h"
#include "service/http/route.h"
#include "service/http/server.h"
#include "service/http/site.h"
#include "service/queue/queue.h"
#include "service/queue/unix_clock.h"

namespace kgym::service {

class BuildStore;

/// All but the values must outlive it.
struct Api {
  Executor executor;
  Queue& queue;
  Feed& feed;
  EndReader& ends;
  const UnixClock& clock;
  const Catalogue& catalogue;
  const WorkflowCatalogue& workflows;
  judge::JudgeConfig config;  // The server's own.
  std::string version;
  Crew& crew;
  BuildStore& builds;
  std::string queue_kind;  // "sqlite", "redis": for people.
  bool open = false;       // No token is asked for.
  Instant started = std::chrono::steady_clock::now();

  bool draining = false;           // Nothing new is taken.
  http::Server* server = nullptr;  // Set once it listens.
  const http::Site* site = nullptr;
};

/// Every route of ours. `api` must outlive the table.
void AddRoutes(http::Routes& routes, Api& api);

// The parts of it, a file each.
void AddSubmitRoutes(http::Routes& routes, Api& api);
void AddEvaluationRoutes(http::Routes& routes, Api& api);
void AddEventRoutes(http::Routes& routes, Api& api);
void AddArtefactRoutes(http::Routes& routes, Api& api);
void AddWorkflowRoutes(http::Routes& routes, Api& api);
void AddStatusRoutes(http::Routes& routes, Api& api);
void AddHealthRoutes(http::Routes& routes, Api& api);
void AddWorkRoutes(http::Routes& routes, Api& api);
void AddBuildRoutes(http::Routes& routes, Api& api);

/// /metrics: Prometheus text.
Awaitable<http::Response> Metrics(Api& api);

/// Which tenant's tasks a principal may see; empty: all.
std::string TenantOf(const http::Request& request);

/// The task of the path's `id`, with payload and result; or 404, also where it is somebody else's.
struct FoundTask {
  std::optional<Task> task;
  std::optional<http::Response> refused;
};
Awaitable<FoundTask> FindTask(Api& api, const http::Request& request);

/// What waiting for a task came to: its end, or the task as it is; neither where it is not known.
struct Waited {
  std::shared_ptr<const TaskEnd> end;
  std::optional<Task> task;

  const Task* now() const { return end ? &end->task : task ? &*task : nullptr; }
};

/// Until the task has ended, `wait` has passed, or nobody waits any more.
Awaitable<Result<Waited>> AwaitEnd(Api& api, std::string id, Duration wait, http::Hangup* hangup);

/// 503: the queue cannot be asked now.
http::Response QueueFault(const http::Request& request, const Error& error);

/// What many routes take.
http::Parameter IdParameter();
http::Parameter WaitParameter();

/// The evaluation as it is now, for its client.
Json Shown(const Api& api, const Task& task);

/// A $ref into the document's schemas.
Json SchemaRef(const std::string& name);

inline constexpr double kLongestWait = 600;  // Seconds of a long-poll.

}  // namespace kgym::service
