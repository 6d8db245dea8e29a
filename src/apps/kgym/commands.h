// The subcommands. Each returns the program's exit code.
//
// Threads: main.
#pragma once

#include "apps/kgym/options.h"

namespace kgym::app {

int Run(const EvalOptions& options);
int Run(const CasesOptions& options);
int Run(const ProblemsOptions& options);
int Run(const ReplayOptions& options);
int Run(const WorkflowOptions& options);
int Run(const DoctorOptions& options);
int Run(const ServeOptions& options);
int Run(const WorkOptions& options);
int Run(const ShowConfigOptions& options);
int Run(const SubmitOptions& options);
int Run(const StatusOptions& options);
int Run(const WaitOptions& options);
int Run(const CancelOptions& options);
int Run(const TopOptions& options);

/// `eval` of a folder or a JSONL file.
int RunRows(const EvalOptions& options);

}  // namespace kgym::app
