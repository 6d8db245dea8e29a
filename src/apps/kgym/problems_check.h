// kgym problems check: what would let a wrong submission pass, or a right one fail, and what would mend it.
//
// A line a problem, as soon as it was looked at, in the order of the suite: {"name", "workload", "findings", "size",
// "sizes"} (docs/problems.md). A problem that ends its host is a finding as well; the next one gets a host of its own.
//
// Threads: main.
#pragma once

#include <vector>

#include "apps/kgym/options.h"
#include "judge/problem.h"

namespace kgym::app {

/// The program's exit code.
int CheckProblems(const ProblemsOptions& options, const std::vector<judge::Problem>& problems);

}  // namespace kgym::app
