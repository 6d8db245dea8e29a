// Who the host is and what it may become: user, capabilities, no new privileges.
//
// Threads: BecomeUser concerns the process; the others the calling thread (see threads.h) and all it starts later.
#pragma once

#include "judge/sandbox/spec.h"
#include "judge/sandbox/step.h"

namespace kgym::judge::sandbox {

/// From root to `spec.uid` and `spec.gid`, without other groups. Nothing to do for anybody else.
Step BecomeUser(const SandboxSpec& spec);

/// No capability in any set, and none in the bounding set for whoever may empty that; it matters for execve only, which
/// ForbidNewPrivileges makes harmless for everybody.
bool DropCapabilities();

/// execve gives no privilege any more. Needed by Landlock and seccomp.
bool ForbidNewPrivileges();

}  // namespace kgym::judge::sandbox
