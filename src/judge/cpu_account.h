// How much CPU time a host's processes have used, by the kernel's account: no claim of theirs.
//
// Where the host has a control group that counts, one read of a file that stays open; else by walking its process tree,
// which a host that forks quickly can outrun.
//
// Threads: the judge's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"

namespace kgym::judge {

/// A host's use of CPUs since it began, in nanoseconds, by the kernel's account.
struct CpuUse {
  std::int64_t used = 0;          // By all of its threads and processes.
  std::int64_t first_ran = 0;     // By its first thread, which makes the calls.
  std::int64_t first_waited = 0;  // That thread was ready to run, and no core was free.
  std::int64_t judge_waited = 0;  // The same of the thread that asks.
};

/// How long it was kept from going on by others between two looks, and we from hearing of it: what its first thread and
/// ours waited for a core, less what its other threads used meanwhile, since those may have taken these cores.
Duration Starved(const CpuUse& start, const CpuUse& end);

class CpuAccount {
 public:
  /// `cgroups`: the host's folders (cgroup_folder.h). `supervisor` is in there too, and is not counted.
  CpuAccount(const std::vector<std::string>& cgroups, pid_t supervisor);

  /// Nanoseconds since the host began, by processes that have ended, too. `host`: its first process, or -1 before it is
  /// known.
  std::int64_t UsedNs(pid_t host) const;

  /// The same, and how its first thread fares; that part is 0 where the kernel does not tell.
  CpuUse Use(pid_t host) const;

 private:
  /// Nanoseconds by the control group, the supervisor's with them; nothing where there is no counter.
  std::optional<std::int64_t> Counted() const;
  std::int64_t WalkedNs(pid_t host) const;

  Fd counter_;
  bool in_us_ = false;  // cpu.stat of version 2 says microseconds, cpuacct.usage nanoseconds.
  pid_t supervisor_;
};

/// The first child of a process that /proc tells, or -1.
pid_t FirstChild(pid_t parent);

}  // namespace kgym::judge
