#include "judge/sandbox/family.h"

#include <linux/membarrier.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "judge/sandbox/process_table.h"

namespace kgym::judge::sandbox {
namespace {

constexpr int kMostRounds = 64;

}  // namespace

Family::Family(bool own_pids) : own_pids_(own_pids), sees_processes_(SeesOwnProcesses()) {
  if (!own_pids_) prctl(PR_SET_CHILD_SUBREAPER, 1);
}

// Signals those below `process` that the walk has not met yet. True where there was one.
bool Family::WalkOnce(pid_t process, int signo) {
  bool news = false;
  for (const pid_t child : ChildrenOf(process).value_or(std::vector<pid_t>())) {
    if (met_.insert(child).second) {
      kill(child, signo);
      news = true;
    }
    news |= WalkOnce(child, signo);
  }
  return news;
}

void Family::Signal(int signo) {
  if (own_pids_) {
    kill(-1, signo);
    return;
  }
  met_.clear();
  for (int round = 0; round < kMostRounds && WalkOnce(getpid(), signo); ++round) continue;
}

std::vector<pid_t> Family::Members() const {
  if (!sees_processes_) return {};
  if (own_pids_) return OtherProcesses();
  return {met_.begin(), met_.end()};
}

void Family::StopAgain() {
  Signal(SIGSTOP);
  if (!sees_processes_) return;
  for (const pid_t member : Members()) StopThreads(member);
}

bool Family::StandsStill(pid_t host, bool host_stopped) {
  if (host_stopped && IsAlone(host)) return true;
  // Nobody reports to us when a grandchild stops. But whoever has the signal acts on it before its next instruction in
  // user mode once its core has taken any interrupt, and this call returns after every core has; signals that were
  // being sent to each other have been sent by then. A walk may have come too early for the child of a fork that was
  // under way; by now it shows.
  int round = 0;
  do {
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
  } while (!own_pids_ && ++round < kMostRounds && WalkOnce(getpid(), SIGSTOP));
  if (!sees_processes_) return host_stopped;
  return std::ranges::all_of(Members(), [](pid_t member) { return sandbox::StandsStill(member); });
}

// In a namespace of our own one look at /proc tells; else the children of each of the host's threads have to be asked
// for, which takes several times as long where it has a dozen.
bool Family::IsAlone(pid_t host) const {
  if (own_pids_ && sees_processes_) return OtherProcesses() == std::vector<pid_t>{host};
  const std::optional<std::vector<pid_t>> children = ChildrenOf(host);
  return children && children->empty() && CountDaemons(host) == 0;
}

bool Family::HasLostStop(pid_t host) const { return sees_processes_ && sandbox::HasLostStop(host); }

bool Family::Resists() const {
  return sees_processes_ &&
         std::ranges::any_of(Members(), [](pid_t member) { return sandbox::HasLostStop(member) && Lives(member); });
}

void Family::End() {
  // Stopped first, so that nobody forks while the rest is killed.
  if (!own_pids_) Signal(SIGSTOP);
  Signal(SIGKILL);
  while (waitpid(-1, nullptr, __WALL) > 0 || errno == EINTR) {
    if (!own_pids_) Signal(SIGKILL);  // Orphans of the one that just ended are our children now.
  }
}

int Family::CountDaemons(pid_t host) const {
  if (!sees_processes_) return -1;
  const std::optional<std::vector<pid_t>> children = ChildrenOf(getpid());
  if (!children) return -1;
  return static_cast<int>(std::ranges::count_if(*children, [host](pid_t child) { return child != host; }));
}

}  // namespace kgym::judge::sandbox
