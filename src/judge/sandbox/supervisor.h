// The parent of one host, pid 1 of its namespace: freezes, thaws, counts, kills, and says how the host ended.
//
// It speaks on `control` (SOCK_SEQPACKET), one short text a packet:
//   from the judge  F freeze all; T thaw all, W too; D count daemons; K kill all. End of file kills all, too.
//                   P and R pause and resume all, without an answer: a pause holds, also through a thaw, until R.
//                   "S <gap> <most>" looks where the threads of the host are, at up to <most> moments about <gap>
//                   microseconds of running apart, at each of which all are stopped for an instant; E ends that.
//   to the judge    F (all stand still), T or "T woken", "W <ns>" or "W <ns> woken" (CLOCK_MONOTONIC just before they
//                   went on), "D <n>", S, "E <report>" (see code_watch.h), and when the host
//   has ended
//                   "X exit <code>" or "X signal <n>", with " daemons <n>" where processes outlived it and " woken" as
//                   below; then it ends itself.
// "woken": something made the host run while it should have stood still, or took back the signal that was to stop it.
// A stop is repeated until it holds; where processes of the host keep each other awake for half a second, all are
// killed. "D -1": nobody can tell (no /proc).
// The end of file on `control` precedes the death of the last process; the supervisor's pidfd becomes readable after
// it.
//
// Threads: a process of its own with one thread. It waits in ppoll only and answers while a freeze is under way.
#pragma once

#include <sys/types.h>

#include "judge/sandbox/family.h"

namespace kgym::judge::sandbox {

/// SIGCHLD must be blocked since before `host` was forked. Closes every descriptor but `control`. Never returns.
[[noreturn]] void Supervise(Family& family, pid_t host, int control);

}  // namespace kgym::judge::sandbox
