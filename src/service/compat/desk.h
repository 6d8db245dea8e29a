// Where KernelGYM requests become tasks and are waited for.
//
// A client's id is the task's id. What is to run again under an id that has ended (`force_refresh`, or where it ended
// by our own fault) gets the id with "~1", "~2" behind it; whoever asks for the id gets the latest. An id that is known
// otherwise is what it was first, whatever is posted under it again: that is how clients of this API repeat themselves.
//
// Threads: the HTTP server's executor.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "service/api/api.h"
#include "service/compat/evaluation.h"
#include "service/compat/reference_times.h"
#include "service/http/refusal.h"

namespace kgym::service::kernelgym {

/// The latest task under a client's id.
struct Known {
  Task task;
  int generation = 0;
};

/// A task to wait for, or an answer that needed none.
struct Begun {
  std::string id;  // The client's.
  std::variant<Task, Json, http::Refusal> what;
};

class Desk {
 public:
  explicit Desk(Api& api) : api_(api) {}
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  Api& api() { return api_; }

  /// None where nothing of this id is known, or it is somebody else's. Ids of sub-tasks (`_kernel`, `_ref`) are their
  /// evaluation's.
  Awaitable<Result<std::optional<Known>>> Find(std::string id, const http::Request& request);

  /// Submits it, unless it is known. It is durable before this returns.
  Awaitable<Begun> Begin(Evaluation evaluation, const http::Request& request);

  /// Its EvaluationResponse, once it has ended; a refusal where nobody waits any more or the server stops.
  Awaitable<std::variant<Json, http::Refusal>> Finish(Begun begun, const http::Request& request);

  ReferenceTimes& times() { return times_; }

 private:
  Awaitable<Result<std::optional<Known>>> Latest(std::string id);
  Awaitable<std::variant<Task, http::Refusal>> Submit(Evaluation evaluation, int generation,
                                                      const http::Request& request);

  Api& api_;
  ReferenceTimes times_;
};

/// {"detail": text}, or the form of a validation error, as this API gives what another gives as a problem document.
http::Response ToKernelGym(const http::Refusal& refusal);

}  // namespace kgym::service::kernelgym
