#include "judge/sandbox/user_namespace.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "judge/sandbox/files.h"

namespace kgym::judge::sandbox {
namespace {

constexpr const char* kName = "user_namespace";

std::string OneLine(unsigned inside, unsigned outside) {
  return std::to_string(inside) + " " + std::to_string(outside) + " 1";
}

Step Enter(uid_t inside_uid, gid_t inside_gid) {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (unshare(CLONE_NEWUSER) != 0) return Failed(kName, "unshare(CLONE_NEWUSER)");
  // Without privilege outside, the kernel takes a group map only once setgroups is off.
  WriteExisting("/proc/self/setgroups", "deny");
  if (!WriteExisting("/proc/self/uid_map", OneLine(inside_uid, uid))) {
    return Partial(kName, ErrnoText("/proc/self/uid_map"));
  }
  if (!WriteExisting("/proc/self/gid_map", OneLine(inside_gid, gid))) {
    return Partial(kName, ErrnoText("/proc/self/gid_map"));
  }
  return Full(kName, "uid " + std::to_string(inside_uid) + " here is uid " + std::to_string(uid) + " outside");
}

bool WorksInAChild() {
  const pid_t child = fork();
  if (child == 0) {
    const bool works = Enter(0, 0).level == Level::kFull && unshare(CLONE_NEWNS) == 0 &&
                       mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    _exit(works ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool MayAdminister() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (syscall(SYS_capget, &header, sets) != 0) return false;
  return (sets[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN)) != 0;
}

Step BecomeAdministrator(const SandboxSpec& spec) {
  if (MayAdminister()) return Full(kName, "not needed: the zygote may administer already");
  if (!spec.Wants("user")) return None(kName, "not asked for");
  if (!WorksInAChild()) return None(kName, "this system lets no unprivileged process make and use a user namespace");
  return Enter(0, 0);
}

Step OwnUserNamespace(const SandboxSpec& spec) {
  if (!spec.Wants("user")) return None(kName, "not asked for");
  return Enter(spec.uid, spec.gid);
}

}  // namespace kgym::judge::sandbox
