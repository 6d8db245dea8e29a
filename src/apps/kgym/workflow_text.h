// A workflow and what came of it, for a person and as JSON.
//
// What a step said is cleaned of control characters before it reaches a terminal.
//
// Threads: any; pure functions.
#pragma once

#include <string>

#include "base/json.h"
#include "judge/workflow/workflow.h"

namespace kgym::app {

/// "nbody: sound, 5 steps" and a line a step: what it waits for.
std::string GraphText(const judge::Workflow& workflow);
Json GraphJson(const judge::Workflow& workflow);

/// Outcome, a table of steps, the output. `report` as judge::ToJson() gives it.
std::string RunText(const Json& report, bool colour);

}  // namespace kgym::app
