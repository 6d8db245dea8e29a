#include "judge/sandbox/capabilities.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace kgym::judge::sandbox {
namespace {

constexpr const char* kUser = "user";

bool Become(uid_t uid) { return setresuid(uid, uid, uid) == 0; }

}  // namespace

Step BecomeUser(const SandboxSpec& spec) {
  const uid_t before = geteuid();
  if (before != 0) return Full(kUser, "uid " + std::to_string(before) + " already");
  // In a user namespace of one line there is nobody else to become: uid 0 here is an ordinary user outside.
  if (setgroups(0, nullptr) != 0 && errno != EPERM) return Failed(kUser, "setgroups");
  const uid_t outside = spec.outside_uid != 0 && spec.Wants("user") ? spec.outside_uid : spec.uid;
  // A container's root may not have so many users: then it is the one that all hosts have in common.
  const auto become = [&] { return Become(outside) || (errno == EINVAL && outside != spec.uid && Become(spec.uid)); };
  if (setresgid(spec.gid, spec.gid, spec.gid) != 0 || !become()) {
    if (errno == EINVAL) return Full(kUser, "nobody else exists in this user namespace");
    return Failed(kUser, "becoming uid " + std::to_string(spec.uid));
  }
  // The change made this process undumpable, and with it its own /proc/self root's. It holds nothing of root's memory
  // that is secret, core dumps are off, and ptrace is the business of seccomp.
  prctl(PR_SET_DUMPABLE, 1);
  return Full(kUser, "uid " + std::to_string(geteuid()));
}

bool DropCapabilities() {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  // The kernel answers EINVAL at the first capability that it does not know.
  for (int cap = 0; prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0; ++cap) continue;
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  return syscall(SYS_capset, &header, none) == 0;
}

bool ForbidNewPrivileges() { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

}  // namespace kgym::judge::sandbox
