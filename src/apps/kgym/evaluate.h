// One evaluation as every subcommand needs it: a verdict as JSON, or a sentence on why there is none; kept as a bundle
// where that was asked for.
//
// Threads: the judge's executor.
#pragma once

#include <string>

#include "apps/kgym/exit_code.h"
#include "apps/kgym/input.h"
#include "base/async.h"
#include "base/json.h"

namespace kgym::app {

struct Evaluated {
  Json verdict;         // Null where there is none.
  std::string error;    // Then this says why.
  std::string details;  // A traceback of the problem's own code, or nothing.
  ExitCode code = kFine;
};

/// `config`: this evaluation's, whatever the judge's own is. `keep`: a folder for bundles, or empty. `task` must
/// outlive the call.
Awaitable<Evaluated> Evaluate(judge::Judge& judge, judge::JudgeConfig config, const Task& task, std::string keep);

/// What a program reads of it where a row could not be judged: {"id", "row", "error"}.
Json ErrorRow(const std::string& id, int row, const std::string& error);

}  // namespace kgym::app
