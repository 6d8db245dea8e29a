// Limits of each process: memory, descriptors, size of a file, processes, no core dumps.
//
// Threads: any; they hold for the whole process and for what it forks.
#pragma once

#include "judge/sandbox/spec.h"
#include "judge/sandbox/step.h"

namespace kgym::judge::sandbox {

/// Sets the limits and offers this process to the kernel first when memory runs out, so that the judge survives.
Step SetLimits(const SandboxSpec& spec);

}  // namespace kgym::judge::sandbox
