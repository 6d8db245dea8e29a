// Evaluations as a server tells them (`Evaluation` and `EvaluationLine` of its OpenAPI document), for a person: a
// table, a count, an exit code. A row that a server knows nothing of is {"id", "error": sentence}.
//
// Threads: any; pure.
#pragma once

#include <string>
#include <vector>

#include "apps/kgym/exit_code.h"
#include "base/json.h"

namespace kgym::app {

bool HasEnded(const Json& evaluation);

/// What an ended one means for whoever waited: as `kgym eval` of it, and of one without a verdict: cancelled as any
/// other verdict, dead as our fault.
ExitCode CodeOf(const Json& evaluation);

/// What it is of: the problem's name, or the workflow's.
std::string SubjectOf(const Json& evaluation);

/// "ok", "fail:shape", "error", "queued", "running: timing", "dead", "not known".
std::string StandingOf(const Json& evaluation);

/// A row each: id, problem, standing, speedup, times where they are told, and why there is no verdict.
std::string EvaluationTable(const std::vector<Json>& evaluations, bool colour);

/// "8 evaluations: 5 ok, 1 fail:numerical, 2 queued".
std::string CountsOf(const std::vector<Json>& evaluations);

/// All that is known of one that has ended: its verdict as `kgym eval` prints it, or a sentence on why there is none.
std::string EvaluationText(const Json& evaluation, bool colour);

}  // namespace kgym::app
