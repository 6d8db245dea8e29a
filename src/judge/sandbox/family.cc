#include "judge/sandbox/family.h"

#include <dirent.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "judge/sandbox/files.h"

namespace kgym::judge::sandbox {
namespace {

constexpr int kMostRounds = 64;

// Children of every thread of `process`. Nothing where the kernel does not tell.
std::optional<std::vector<pid_t>> ChildrenOf(pid_t process) {
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  DIR* folder = opendir(tasks.c_str());
  if (!folder) return std::nullopt;
  std::vector<pid_t> children;
  bool told = true;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    const std::optional<std::string> text = ReadAll(tasks + "/" + entry->d_name + "/children");
    told = told && text.has_value();
    std::istringstream in(text.value_or(""));
    for (pid_t child = 0; in >> child;) children.push_back(child);
  }
  closedir(folder);
  if (!told) return std::nullopt;
  return children;
}

}  // namespace

Family::Family(bool own_pids) : own_pids_(own_pids) {
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

void Family::AwaitStandstill(pid_t host) {
  const std::optional<std::vector<pid_t>> children = ChildrenOf(host);
  if (children && children->empty() && CountDaemons(host) == 0) return;
  // Nobody reports to us when a grandchild stops. But whoever has the signal acts on it before its next instruction in
  // user mode once its core has taken any interrupt, and this call returns after every core has. A walk may have come
  // too early for the child of a fork that was under way; by now it shows.
  int round = 0;
  do {
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
  } while (!own_pids_ && ++round < kMostRounds && WalkOnce(getpid(), SIGSTOP));
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
  const std::optional<std::vector<pid_t>> children = ChildrenOf(getpid());
  if (!children) return -1;
  int daemons = 0;
  for (const pid_t child : *children) daemons += child != host;
  return daemons;
}

}  // namespace kgym::judge::sandbox
