#include "judge/sandbox/mount_calls.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

// <sys/mount.h> and <linux/mount.h> of some distributions do not go together.
extern "C" int mount(const char*, const char*, const char*, unsigned long, const void*) noexcept;

namespace kgym::judge::sandbox {
namespace {

constexpr unsigned long kMsRdonly = 1, kMsNosuid = 2, kMsNodev = 4, kMsNoexec = 8, kMsRemount = 32, kMsBind = 4096,
                        kMsRec = 16384;
constexpr unsigned kAtRecursive = 0x8000;

// Flags that hold already may be locked (user namespaces), so the remount repeats them.
int RemountTopReadOnly(const std::string& path, bool devices) {
  struct statvfs now;
  if (statvfs(path.c_str(), &now) != 0) return -1;
  unsigned long flags = kMsRemount | kMsBind | kMsRdonly | kMsNosuid;
  if (!devices || (now.f_flag & ST_NODEV)) flags |= kMsNodev;
  if (now.f_flag & ST_NOEXEC) flags |= kMsNoexec;
  return mount(nullptr, path.c_str(), nullptr, flags, nullptr);
}

}  // namespace

int BindReadOnly(const std::string& from, const std::string& to, bool devices, bool& whole) {
  whole = true;
  if (mount(from.c_str(), to.c_str(), nullptr, kMsBind | kMsRec, nullptr) != 0) return -1;
  mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | (devices ? 0u : unsigned{MOUNT_ATTR_NODEV});
  if (syscall(SYS_mount_setattr, AT_FDCWD, to.c_str(), kAtRecursive, &attributes, sizeof attributes) == 0) return 0;
  whole = false;
  return RemountTopReadOnly(to, devices);
}

int CloneTree(const std::string& path) {
  return static_cast<int>(
      syscall(SYS_open_tree, AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | kAtRecursive));
}

int AttachTree(int tree, const std::string& path) {
  return static_cast<int>(syscall(SYS_move_mount, tree, "", AT_FDCWD, path.c_str(), MOVE_MOUNT_F_EMPTY_PATH));
}

int PivotRoot(const char* new_root, const char* put_old) {
  return static_cast<int>(syscall(SYS_pivot_root, new_root, put_old));
}

}  // namespace kgym::judge::sandbox
