#include "judge/sandbox/mounts.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "judge/sandbox/files.h"
#include "judge/sandbox/mount_calls.h"

namespace kgym::judge::sandbox {
namespace {

constexpr const char* kTemplate = "template_root";
constexpr const char* kPrivate = "private_root";
constexpr const char* kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};

std::string ParentOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool LiesInWritable(const std::string& path) {
  return std::any_of(std::begin(kWritable), std::end(kWritable), [&](const char* w) { return IsWithin(path, w); });
}

// Why a path could not be shown; empty where it is.
std::string Show(const std::string& path, const std::string& root, bool devices) {
  struct stat source;
  if (lstat(path.c_str(), &source) != 0) return ErrnoText(path);
  const std::string to = root + path;
  if (!MakeFolders(root + ParentOf(path))) return ErrnoText(to);

  if (S_ISLNK(source.st_mode)) {
    char target[PATH_MAX] = {};
    if (readlink(path.c_str(), target, sizeof target - 1) < 0 || symlink(target, to.c_str()) != 0) return ErrnoText(to);
    return "";
  }
  const bool made = S_ISDIR(source.st_mode) ? MakeFolders(to) : WriteNew(to, "", 0444);
  if (!made) return ErrnoText(to);
  bool whole = true;
  if (BindReadOnly(path, to, devices, whole) != 0) return ErrnoText(path);
  return whole ? "" : path + ": mounts below it keep their own flags (kernel before 5.12)";
}

// An allowed path below another one is there already; making folders for it would write into the machine's own file
// system.
std::vector<std::string> WithoutCovered(std::vector<std::string> paths) {
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> kept;
  for (const std::string& path : paths) {
    if (kept.empty() || !IsWithin(path, kept.back())) kept.push_back(path);
  }
  return kept;
}

void WriteMinimalEtc(const SandboxSpec& spec) {
  const std::string etc = spec.root + "/etc";
  if (!MakeFolders(etc)) return;
  const std::string uid = std::to_string(spec.uid);
  const std::string gid = std::to_string(spec.gid);
  const auto unless_shown = [&](const char* name, const std::string& text) {
    const std::string path = etc + "/" + name;
    if (access(path.c_str(), F_OK) != 0) WriteNew(path, text, 0444);
  };
  unless_shown("passwd", "root:x:0:0::/:/bin/false\nkernel:x:" + uid + ":" + gid + "::/home/kernel:/bin/false\n");
  unless_shown("group", "root:x:0:\nkernel:x:" + gid + ":\n");
  unless_shown("hosts", "127.0.0.1 localhost kgym\n");
  unless_shown("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n");
}

void LinkStandardStreams(const std::string& root) {
  const std::pair<const char*, const char*> links[] = {{"/proc/self/fd", "/dev/fd"},
                                                       {"/proc/self/fd/0", "/dev/stdin"},
                                                       {"/proc/self/fd/1", "/dev/stdout"},
                                                       {"/proc/self/fd/2", "/dev/stderr"}};
  for (const auto& [target, link] : links) {
    if (symlink(target, (root + link).c_str()) != 0) continue;  // There already: /dev itself was allowed.
  }
}

bool IsReadOnlyTmpfs(const std::string& path) {
  struct statfs found;
  return statfs(path.c_str(), &found) == 0 && found.f_type == TMPFS_MAGIC && (found.f_flags & ST_RDONLY) != 0;
}

bool MountTmpfs(const std::string& path, std::uint64_t mb, unsigned long flags) {
  // One file for each 4 KiB, so that small files run out no later than space.
  const std::string options =
      "mode=1777,size=" + std::to_string(mb) + "m,nr_inodes=" + std::to_string(std::max<std::uint64_t>(mb, 4) * 256);
  return mount("kgym", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV | flags, options.c_str()) == 0;
}

// Allowed paths that a private /tmp would cover: taken aside before, put back after.
struct Covered {
  std::string path;
  int tree;
};

std::vector<Covered> TakeAside(const SandboxSpec& spec, std::string& missing) {
  std::vector<Covered> covered;
  for (const std::string& path : WithoutCovered(spec.read_only)) {
    if (!LiesInWritable(path)) continue;
    const int tree = CloneTree(spec.root + path);
    if (tree >= 0) covered.push_back({path, tree});
    if (tree < 0) missing += ErrnoText(path) + "; ";
  }
  return covered;
}

void PutBack(const SandboxSpec& spec, const std::vector<Covered>& covered, std::string& missing) {
  for (const Covered& one : covered) {
    const std::string to = spec.root + one.path;
    struct stat what = {};
    fstat(one.tree, &what);
    const bool made = MakeFolders(ParentOf(to)) && (S_ISDIR(what.st_mode) ? MakeFolders(to) : WriteNew(to, "", 0444));
    if (!made || AttachTree(one.tree, to) != 0) missing += ErrnoText(one.path) + "; ";
    close(one.tree);
  }
}

bool MakeRoot(const std::string& root) {
  if (chdir(root.c_str()) != 0) return false;
  if (PivotRoot(".", ".") == 0) {
    // The old root now lies over the new one at the same place.
    return umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
  }
  // On an initial RAM file system there is nothing to pivot away from.
  return mount(".", "/", nullptr, MS_MOVE, nullptr) == 0 && chroot(".") == 0 && chdir("/") == 0;
}

}  // namespace

Step BuildTemplate(const SandboxSpec& spec) {
  if (!spec.Wants("mount")) return None(kTemplate, "not asked for");
  if (spec.root.empty()) return None(kTemplate, "no 'root' was given to mount it on");
  if (!MakeFolders(spec.root)) return Failed(kTemplate, spec.root);
  if (mount("kgym-root", spec.root.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=4m") != 0) {
    return Failed(kTemplate, "mounting a tmpfs");
  }
  std::string missing;
  const auto show = [&](const std::string& path, bool devices) {
    const std::string why = Show(path, spec.root, devices);
    if (!why.empty()) missing += (missing.empty() ? "" : "; ") + why;
  };
  for (const std::string& path : WithoutCovered(spec.read_only)) show(path, false);
  for (const char* path : kDevices) show(path, true);
  for (const std::string& path : WithoutCovered(spec.devices)) show(path, true);

  MakeFolders(spec.root + "/proc");
  for (const char* path : kWritable) MakeFolders(spec.root + path);
  WriteMinimalEtc(spec);
  LinkStandardStreams(spec.root);

  // The bind flag leaves the binds inside alone; it changes this mount only.
  if (mount(nullptr, spec.root.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, nullptr) !=
      0) {
    return Failed(kTemplate, "making it read-only");
  }
  return missing.empty() ? Full(kTemplate) : Partial(kTemplate, missing);
}

Step EnterTemplate(const SandboxSpec& spec, bool own_pids) {
  if (spec.root.empty() || !IsReadOnlyTmpfs(spec.root)) return None(kPrivate, "the zygote has built no template root");
  std::string missing;
  const std::vector<Covered> covered = TakeAside(spec, missing);
  for (const char* path : kWritable) {
    const bool shared_memory = std::string_view(path) == "/dev/shm";
    const std::uint64_t mb = shared_memory ? spec.shm_mb : spec.tmp_mb;
    if (!MountTmpfs(spec.root + path, mb, shared_memory ? MS_NOEXEC : 0)) return Failed(kPrivate, path);
  }
  PutBack(spec, covered, missing);

  const std::string proc = spec.root + "/proc";
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  // A fresh /proc shows this pid namespace. Where that is refused (a container that hides parts of its own), the old
  // one would show strangers' processes, so hosts go without.
  if (!own_pids) {
    if (mount("/proc", proc.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) missing += ErrnoText("/proc") + "; ";
  } else if (mount("proc", proc.c_str(), "proc", kFlags, nullptr) != 0) {
    missing += ErrnoText("/proc") + "; ";
  }
  if (!MakeRoot(spec.root)) return Failed(kPrivate, "changing the root");
  return missing.empty() ? Full(kPrivate) : Partial(kPrivate, missing);
}

}  // namespace kgym::judge::sandbox
