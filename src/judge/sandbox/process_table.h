// What /proc shows a supervisor of the processes around it: who there is, whose child, who stands still.
//
// A thread stands still where it is stopped or dead, and also where SIGSTOP lies ready for it by itself: it acts on
// that before its next instruction in user mode, once its core has been interrupted. So a thread that waits in the
// kernel, for a child of vfork() for example, holds nothing up.
//
// Threads: any; no state.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

namespace kgym::judge::sandbox {

/// Whether /proc is there and numbers processes as the caller's namespace does.
bool SeesOwnProcesses();

/// All processes that /proc shows, but the caller.
std::vector<pid_t> OtherProcesses();

/// Children of every thread of `process`. Nothing where the kernel does not tell.
std::optional<std::vector<pid_t>> ChildrenOf(pid_t process);

/// The threads of a process; none where it is gone.
std::vector<pid_t> ThreadNumbers(pid_t process);

/// SIGSTOP for each thread by itself. One for the whole process waits for the one thread that is to take it, however
/// long that is in the kernel.
void StopThreads(pid_t process);

/// True for a process that is gone, too.
bool StandsStill(pid_t process);

/// Whether a SIGSTOP that was sent has vanished: no thread of the process is stopped, and none is about to be. SIGCONT
/// does that. So does the end of the process; Lives tells.
bool HasLostStop(pid_t process);

/// Whether a thread of the process is not about to end.
bool Lives(pid_t process);

}  // namespace kgym::judge::sandbox
