// The sandbox, whole: what happens to a zygote, a host at its birth, and a host before it meets foreign code, in order.
//
//   zygote      PrepareZygote   once, before anything is imported that starts threads
//   zygote      ForkHost        for each host; returns twice, in the zygote and in the host
//   host        Confine         once drivers are up, before the first foreign line
//
// Threads: PrepareZygote and ForkHost in the main thread; PrepareZygote while it is the only one.
#pragma once

#include <sys/types.h>

#include <string>

#include "judge/sandbox/spec.h"
#include "judge/sandbox/step.h"

namespace kgym::judge::sandbox {

Report PrepareZygote(const SandboxSpec& spec);

/// What an interpreter has to do around a fork; may be null.
struct ForkHooks {
  void (*before)() = nullptr;
  void (*after_in_zygote)() = nullptr;
  void (*after_in_host)() = nullptr;
};

struct Forked {
  bool is_host = false;
  // In the zygote: the supervisor. Its pidfd, which the caller owns, becomes readable when the whole host is gone.
  pid_t supervisor = -1;
  int pidfd = -1;
  Report report;      // In the host: the steps of its birth.
  std::string error;  // In the zygote, not empty where there is no host.
};

/// `control`: the supervisor's socket, see supervisor.h. A strict host that cannot be what it should be is reported
/// there, as "X setup <sentence>". The host returns with SIGCHLD at its default and holds 0, 1, 2, `spec.keep_fds` and
/// `spec.seccomp_fd`.
Forked ForkHost(const SandboxSpec& spec, int control, const ForkHooks& hooks);

Report Confine(const SandboxSpec& spec);

struct Ended {
  pid_t pid;
  int code;  // Exit code, or minus the signal.
};

/// Children of this process that have ended since the last call; never waits. The zygote calls it each turn.
std::vector<Ended> Reap();

/// A sentence for a strict specification whose report is not full; empty where all is well.
std::string StrictError(const SandboxSpec& spec, const Report& report);

}  // namespace kgym::judge::sandbox
