#include "judge/sandbox/threads.h"

#include <dirent.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <set>
#include <vector>

namespace kgym::judge::sandbox {
namespace {

// A signal handler can reach nothing but globals. They hold values only while OnEveryThread runs.
std::atomic<bool (*)()> current_act{nullptr};
std::atomic<int> failures{0};
sem_t answers;

void HandleSignal(int) {
  const int error = errno;
  if (bool (*act)() = current_act.load(); act && !act()) ++failures;
  sem_post(&answers);
  errno = error;
}

std::vector<pid_t> OtherThreads() {
  std::vector<pid_t> threads;
  DIR* folder = opendir("/proc/self/task");
  if (!folder) return threads;
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  while (const dirent* entry = readdir(folder)) {
    const pid_t thread = std::atoi(entry->d_name);
    if (thread > 0 && thread != self) threads.push_back(thread);
  }
  closedir(folder);
  return threads;
}

bool WaitForAnswer(const timespec& deadline) {
  while (sem_clockwait(&answers, CLOCK_MONOTONIC, &deadline) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

// Threads that start while we look inherit from one that has acted or has not: look again until none is new.
bool ReachOthers() {
  timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += 2;
  std::set<pid_t> reached;
  for (bool news = true; news;) {
    news = false;
    for (const pid_t thread : OtherThreads()) {
      if (!reached.insert(thread).second) continue;
      if (syscall(SYS_tgkill, getpid(), thread, SIGRTMAX) != 0) continue;  // It has ended.
      if (!WaitForAnswer(deadline)) return false;
      news = true;
    }
  }
  return true;
}

}  // namespace

bool OnEveryThread(bool (*act)(), std::string& why) {
  struct sigaction before;
  struct sigaction handler = {};
  handler.sa_handler = HandleSignal;
  handler.sa_flags = SA_RESTART;
  sigfillset(&handler.sa_mask);
  sem_init(&answers, 0, 0);
  failures = 0;
  current_act = act;
  sigaction(SIGRTMAX, &handler, &before);

  const bool reached = ReachOthers();
  const bool worked = act() && failures == 0;
  current_act = nullptr;
  // A thread that blocks the signal may answer later: the handler stays, and does nothing then.
  if (reached) sigaction(SIGRTMAX, &before, nullptr);
  if (!reached) why = "a thread of the process blocks signals and keeps what it may do";
  if (reached && !worked) why = "the kernel refused it to a thread";
  return reached && worked;
}

}  // namespace kgym::judge::sandbox
