#include "judge/sandbox/pid_namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace kgym::judge::sandbox {
namespace {

constexpr const char* kName = "pid_namespace";

// A process without privilege outside its user namespace that once unshares the pid namespace cannot come back, and
// could fork no second host. So a midwife does it, and bears the child as the caller's own (CLONE_PARENT). The midwife
// has one thread and has come out of fork(), so that the bare system call finds no lock taken.
pid_t BearFromMidwife(int born, Step& step) {
  step = unshare(CLONE_NEWPID) == 0 ? Full(kName) : Failed(kName, "unshare(CLONE_NEWPID)");
  const auto child = static_cast<pid_t>(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (child == 0) return 0;
  const bool told = write(born, &child, sizeof child) == sizeof child;
  _exit(told ? 0 : 1);
}

pid_t ReadPid(int born) {
  pid_t child = -1;
  ssize_t n = 0;
  do {
    n = read(born, &child, sizeof child);
  } while (n < 0 && errno == EINTR);
  return n == sizeof child ? child : -1;
}

}  // namespace

pid_t ForkIntoPidNamespace(const SandboxSpec& spec, Step& step) {
  step = None(kName, "not asked for");
  if (!spec.Wants("pid")) return fork();
  int born[2];
  if (pipe2(born, O_CLOEXEC) != 0) return -1;
  const pid_t midwife = fork();
  if (midwife == 0) {
    close(born[0]);
    BearFromMidwife(born[1], step);
    close(born[1]);
    return 0;
  }
  close(born[1]);
  const pid_t child = midwife < 0 ? -1 : ReadPid(born[0]);
  close(born[0]);
  if (midwife > 0) waitpid(midwife, nullptr, 0);
  if (child < 0) errno = EAGAIN;
  return child;
}

}  // namespace kgym::judge::sandbox
