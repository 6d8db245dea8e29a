// What a run of a workflow leaves: its report (kgym.workflow/1, docs/extending.md), and the files of its steps as far
// as they are small. As a task's result it is JSON text:
//
//   {"report": {...}, "files": {step: {name: base64}}}
//
// Threads: any; pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "judge/workflow/workflow_run.h"

namespace kgym::service {

inline constexpr std::size_t kMostKeptFileBytes = std::size_t{4} << 20;  // All files of a run together.
inline constexpr std::size_t kMostReportBytes = std::size_t{16} << 20;   // Of the report as JSON.

/// Files beyond what is kept are left out, the rest is there. An error says why the report itself cannot be kept.
Result<std::string> WorkflowResult(const judge::Workflow& workflow, const judge::WorkflowRun& run,
                                   const Json& provenance);

/// The bytes of a step's file; an error says why there are none.
Result<std::string> FileOf(const Json& result, const std::string& step, const std::string& name);

/// Why the run is not ok: of the first step that failed with its outcome. Empty where it is.
std::string ReasonOf(const Json& report);

}  // namespace kgym::service
