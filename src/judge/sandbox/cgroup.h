// Control groups: the only bound on memory and processes of a whole host, whatever it forks.
//
// Threads: the supervisor, before it enters the template root, where the folders are out of sight.
#pragma once

#include "judge/sandbox/spec.h"
#include "judge/sandbox/step.h"

namespace kgym::judge::sandbox {

/// Moves this process, and so all it will fork, into each folder of `spec.cgroups`. Limits are set by whoever made the
/// folders.
Step JoinCgroups(const SandboxSpec& spec);

}  // namespace kgym::judge::sandbox
