// Which descriptors a process holds. A fork inherits all of its parent's, so a host closes what is not its own.
//
// Threads: call while the process has one thread; a descriptor that another thread uses would vanish under it.
#pragma once

#include <vector>

#include "judge/sandbox/step.h"

namespace kgym::judge::sandbox {

/// Closes every descriptor that is not in `keep` (any order, repeats and negative numbers allowed).
Step CloseAllExcept(std::vector<int> keep);

int OpenPidfd(int pid);  // -1 and errno on failure. Close-on-exec.

}  // namespace kgym::judge::sandbox
