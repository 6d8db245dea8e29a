// Installs a seccomp program that somebody else wrote (see judge/seccomp_policy.h): which system calls the host may
// make.
//
// Threads: any; the program holds for all threads of the process.
#pragma once

#include "judge/sandbox/spec.h"
#include "judge/sandbox/step.h"

namespace kgym::judge::sandbox {

/// Needs no_new_privs. Closes `spec.seccomp_fd`. Irrevocable.
Step InstallSeccomp(const SandboxSpec& spec);

}  // namespace kgym::judge::sandbox
