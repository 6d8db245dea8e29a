#include "judge/seccomp_policy.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "judge/sandbox/capabilities.h"
#include "judge/sandbox/seccomp.h"

namespace kgym::judge {
namespace {

constexpr int kNotInstalled = 255;

// The errno of `call` in a child that has installed the program; 0 where it succeeds.
int ErrnoUnder(SeccompUse use, const std::function<long()>& call) {
  std::string error;
  sandbox::SandboxSpec spec;
  spec.seccomp_hex = SeccompProgramHex(use, error);
  EXPECT_EQ(error, "");
  const pid_t child = fork();
  if (child == 0) {
    const bool installed =
        sandbox::ForbidNewPrivileges() && sandbox::InstallSeccomp(spec).level == sandbox::Level::kFull;
    if (!installed) _exit(kNotInstalled);
    _exit(call() == -1 ? errno : 0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

long Socket(int family) { return socket(family, SOCK_STREAM, 0); }
long Clone(unsigned long flags) { return syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr); }

TEST(SeccompPolicy, IsAnArrayOfInstructions) {
  std::string error;
  const std::string program = SeccompProgram(SeccompUse::kFreezable, error);
  EXPECT_EQ(error, "");
  EXPECT_GT(program.size(), 50 * sizeof(sock_filter));
  EXPECT_EQ(program.size() % sizeof(sock_filter), 0u);
}

TEST(SeccompPolicy, MayTravelAsAFile) {
  std::string error;
  const std::string program = SeccompProgram(SeccompUse::kBuild, error);
  sandbox::SandboxSpec spec;
  spec.seccomp_fd = memfd_create("program", MFD_CLOEXEC);
  ASSERT_EQ(write(spec.seccomp_fd, program.data(), program.size()), static_cast<ssize_t>(program.size()));
  const pid_t child = fork();
  if (child == 0) {
    const bool installed =
        sandbox::ForbidNewPrivileges() && sandbox::InstallSeccomp(spec).level == sandbox::Level::kFull;
    _exit(installed && Socket(AF_INET) == -1 && fcntl(spec.seccomp_fd, F_GETFD) == -1 ? 0 : 1);
  }
  close(spec.seccomp_fd);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(SeccompPolicy, RefusesWhatIsNoProgram) {
  for (const char* hex : {"0", "zz", "00", "00000000000000000"}) {
    sandbox::SandboxSpec spec;
    spec.seccomp_hex = hex;
    EXPECT_EQ(sandbox::InstallSeccomp(spec).level, sandbox::Level::kNone) << hex;
  }
}

TEST(SeccompPolicy, DeniesWhatReachesOut) {
  const auto denied = [](const std::function<long()>& call) { return ErrnoUnder(SeccompUse::kBuild, call); };
  EXPECT_EQ(denied([] { return Socket(AF_INET); }), EPERM);
  EXPECT_EQ(denied([] { return Socket(AF_INET6); }), EPERM);
  EXPECT_EQ(denied([] { return Socket(AF_NETLINK); }), EPERM);
  EXPECT_EQ(denied([] { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }), EPERM);
  EXPECT_EQ(denied([] { return syscall(SYS_process_vm_readv, getppid(), nullptr, 0, nullptr, 0, 0); }), EPERM);
  EXPECT_EQ(denied([] { return syscall(SYS_io_uring_setup, 1, nullptr); }), EPERM);
  EXPECT_EQ(denied([] { return syscall(SYS_bpf, 0, nullptr, 0); }), EPERM);
  EXPECT_EQ(denied([] { return unshare(CLONE_NEWUSER); }), EPERM);
  EXPECT_EQ(denied([] { return Clone(CLONE_NEWUSER | SIGCHLD); }), EPERM);
  EXPECT_EQ(denied([] { return Clone(CLONE_NEWNS | SIGCHLD); }), EPERM);
  EXPECT_EQ(denied([] { return syscall(SYS_clone3, nullptr, 0); }), ENOSYS);
  EXPECT_EQ(denied([] { return personality(ADDR_NO_RANDOMIZE); }), EPERM);
  EXPECT_EQ(denied([] { return prctl(PR_SET_CHILD_SUBREAPER, 1); }), EPERM);
  EXPECT_EQ(denied([] { return syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER | (1L << 40), 1, 0, 0, 0); }), EPERM);
}

TEST(SeccompPolicy, LeavesOrdinaryWorkAlone) {
  const auto allowed = [](const std::function<long()>& call) { return ErrnoUnder(SeccompUse::kFreezable, call); };
  EXPECT_EQ(allowed([] { return Socket(AF_UNIX); }), 0);
  EXPECT_EQ(allowed([] { return personality(0xffffffff); }), 0);
  EXPECT_EQ(allowed([] { return fcntl(1, F_GETFD); }), 0);
  EXPECT_EQ(allowed([] { return prctl(PR_SET_NAME, "kernel"); }), 0);
  EXPECT_EQ(allowed([]() -> long {
              const pid_t child = fork();
              if (child == 0) _exit(0);
              return child > 0 ? waitpid(child, nullptr, 0) : -1;
            }),
            0);
}

TEST(SeccompPolicy, AFrozenHostCannotArrangeToBeWoken) {
  const auto arrange = [](SeccompUse use) {
    return ErrnoUnder(use, [] {
      struct sigevent event = {};
      event.sigev_notify = SIGEV_SIGNAL;
      event.sigev_signo = SIGCONT;
      timer_t timer = {};
      return static_cast<long>(timer_create(CLOCK_MONOTONIC, &event, &timer));
    });
  };
  EXPECT_EQ(arrange(SeccompUse::kFreezable), EPERM);
  EXPECT_EQ(arrange(SeccompUse::kBuild), 0);
  EXPECT_EQ(ErrnoUnder(SeccompUse::kFreezable, [] { return fcntl(1, F_SETSIG, SIGCONT); }), EPERM);
  EXPECT_EQ(ErrnoUnder(SeccompUse::kFreezable, [] { return Clone(SIGCONT); }), EPERM);
}

}  // namespace
}  // namespace kgym::judge
