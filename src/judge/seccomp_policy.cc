#include "judge/seccomp_policy.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>

namespace kgym::judge {
namespace {

// Names, not numbers: headers and architectures know different sets, and a call that does not exist needs no rule.
constexpr const char* kDenied[] = {
    // Other processes' memory, descriptors and registers.
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "pidfd_getfd",
    "kcmp",
    "process_madvise",
    "process_mrelease",
    // Mounts, roots and namespaces.
    "mount",
    "umount",
    "umount2",
    "pivot_root",
    "chroot",
    "open_tree",
    "open_tree_attr",
    "move_mount",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "unshare",
    "setns",
    "open_by_handle_at",
    "name_to_handle_at",
    // Wide doors into the kernel.
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "add_key",
    "keyctl",
    "request_key",
    "fanotify_init",
    "fanotify_mark",
    "lookup_dcookie",
    "nfsservctl",
    "uselib",
    "_sysctl",
    "sysfs",
    "ustat",
    "modify_ldt",
    "vm86",
    "vm86old",
    // The machine.
    "kexec_load",
    "kexec_file_load",
    "init_module",
    "finit_module",
    "delete_module",
    "create_module",
    "reboot",
    "swapon",
    "swapoff",
    "quotactl",
    "quotactl_fd",
    "acct",
    "syslog",
    "sethostname",
    "setdomainname",
    "iopl",
    "ioperm",
    "vhangup",
    // Clocks, by which we measure.
    "settimeofday",
    "stime",
    "clock_settime",
    "clock_settime64",
    "clock_adjtime",
    "clock_adjtime64",
    "adjtimex",
    // Memory that no limit of a process counts.
    "shmget",
    "semget",
    "msgget",
    "mq_open",
    // The cores that the judge has chosen.
    "sched_setaffinity",
};

// SIGCONT thaws whoever it reaches, so nothing may be arranged beforehand that lets the kernel send one.
constexpr const char* kDeniedFreezable[] = {"timer_create", "mq_notify"};

constexpr unsigned kNewNamespaces[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                       CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET, 0x80 /* CLONE_NEWTIME */};
constexpr std::uint64_t kLow32 = 0xffffffff;  // Of what the kernel declares as an int it looks at the low half only.
constexpr std::uint32_t kQueryPersonality = 0xffffffff;

class Policy {
 public:
  Policy() : filter_(seccomp_init(SCMP_ACT_ALLOW), seccomp_release) {
    if (!filter_) result_ = -ENOMEM;
  }

  template <typename... Comparisons>
  void Deny(const char* name, int error, Comparisons... comparisons) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR || result_ != 0) return;
    const int result = seccomp_rule_add(filter_.get(), SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error)), number,
                                        sizeof...(comparisons), comparisons...);
    // -EDOM: the call does not exist on this architecture.
    if (result != 0 && result != -EDOM) Fail(result, name);
  }

  std::string Export(std::string& error);

 private:
  void Fail(int result, const char* what) {
    result_ = result;
    failed_ = what;
  }

  std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter_;
  int result_ = 0;
  std::string failed_ = "seccomp_init";
};

std::string ReadBack(int fd) {
  std::string bytes;
  char buffer[4096];
  for (ssize_t n = 0; (n = pread(fd, buffer, sizeof buffer, static_cast<off_t>(bytes.size()))) > 0;) {
    bytes.append(buffer, static_cast<std::size_t>(n));
  }
  return bytes;
}

std::string Policy::Export(std::string& error) {
  std::string bytes;
  if (result_ == 0) {
    const int fd = memfd_create("kgym-seccomp", MFD_CLOEXEC);
    const int result = fd < 0 ? -errno : seccomp_export_bpf(filter_.get(), fd);
    if (result == 0) bytes = ReadBack(fd);
    if (result != 0) Fail(result, "seccomp_export_bpf");
    if (fd >= 0) close(fd);
  }
  if (bytes.empty()) error = "seccomp: " + failed_ + ": " + std::strerror(-result_);
  return bytes;
}

void DenyByArguments(Policy& policy) {
  for (const unsigned flag : kNewNamespaces) policy.Deny("clone", EPERM, SCMP_A0_64(SCMP_CMP_MASKED_EQ, flag, flag));
  policy.Deny("clone3", ENOSYS);
  policy.Deny("socket", EPERM, SCMP_A0_32(SCMP_CMP_NE, AF_UNIX));
  policy.Deny("socketpair", EPERM, SCMP_A0_32(SCMP_CMP_NE, AF_UNIX));
  // Whoever loses its parent becomes the supervisor's child, which is how processes that were cut loose are counted.
  policy.Deny("prctl", EPERM, SCMP_A0_64(SCMP_CMP_MASKED_EQ, kLow32, PR_SET_CHILD_SUBREAPER));
  policy.Deny("personality", EPERM, SCMP_A0_32(SCMP_CMP_NE, kQueryPersonality));
  for (const unsigned request : {TIOCSTI, TIOCLINUX}) {
    policy.Deny("ioctl", EPERM, SCMP_A1_64(SCMP_CMP_MASKED_EQ, kLow32, request));  // Typing on the judge's terminal.
  }
}

void DenyWaking(Policy& policy) {
  for (const char* name : kDeniedFreezable) policy.Deny(name, EPERM);
  policy.Deny("fcntl", EPERM, SCMP_A1_64(SCMP_CMP_MASKED_EQ, kLow32, F_SETSIG));
  policy.Deny("clone", EPERM, SCMP_A0_64(SCMP_CMP_MASKED_EQ, CSIGNAL, SIGCONT));
  policy.Deny("prctl", EPERM, SCMP_A0_64(SCMP_CMP_MASKED_EQ, kLow32, PR_SET_PDEATHSIG),
              SCMP_A1_64(SCMP_CMP_MASKED_EQ, kLow32, SIGCONT));
}

}  // namespace

std::string SeccompProgram(SeccompUse use, std::string& error) {
  Policy policy;
  for (const char* name : kDenied) policy.Deny(name, EPERM);
  DenyByArguments(policy);
  if (use == SeccompUse::kFreezable) DenyWaking(policy);
  return policy.Export(error);
}

std::string SeccompProgramHex(SeccompUse use, std::string& error) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : SeccompProgram(use, error)) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

}  // namespace kgym::judge
