// What a task's result is, in a few words, and how a worker writes one.
//
// A result is JSON text: {"verdict": {...}} (docs/verdict.md), of a workflow {"report": {...}, "files": {...}}
// (workflow_result.h), or {"error": {"kind", "message", "traceback"}} where the problem itself cannot be judged, which
// nobody's submission is to blame for.
//
// Threads: any; plain values.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "service/queue/task.h"

namespace kgym::service {

/// The few words that lists and counters need.
struct OutcomeNote {
  std::string outcome;  // Of the verdict or report; "error" where there is none.
  std::string reason;
  std::optional<double> speedup;
};

std::string VerdictResult(const Json& verdict);
std::string ErrorResult(const std::string& kind, const std::string& message, const std::string& traceback);

/// Of a result as text; an outcome of "unreadable" where it is not one of ours.
OutcomeNote NoteOf(const std::string& result);

}  // namespace kgym::service
