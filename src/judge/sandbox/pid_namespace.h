// A pid namespace for a child: it is pid 1 there, sees and signals only what is inside, and when it ends the kernel
// kills the rest before the end is reported.
//
// Threads: the thread that forks, with whatever locks a fork needs.
#pragma once

#include <sys/types.h>

#include "judge/sandbox/spec.h"
#include "judge/sandbox/step.h"

namespace kgym::judge::sandbox {

/// As fork(2), but the child is pid 1 of a new namespace where `spec` wants that and the kernel grants it; `step` says
/// so in the child. The caller's own namespaces stay as they are.
pid_t ForkIntoPidNamespace(const SandboxSpec& spec, Step& step);

}  // namespace kgym::judge::sandbox
