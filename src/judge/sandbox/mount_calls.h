// Mount system calls that the C library of older distributions has no names for.
//
// Threads: any; no state. All return 0 or a descriptor, or -1 and errno.
#pragma once

#include <string>

namespace kgym::judge::sandbox {

/// Binds `from`, with all that is mounted below it, at `to`, and makes all of that read-only and nosuid, and nodev
/// unless `devices`. Where the kernel (before 5.12) can do that for the topmost mount only, `whole` becomes false.
int BindReadOnly(const std::string& from, const std::string& to, bool devices, bool& whole);

/// A detached copy of the mounts at and below `path`, to be put elsewhere with AttachTree.
int CloneTree(const std::string& path);
int AttachTree(int tree, const std::string& path);

int PivotRoot(const char* new_root, const char* put_old);

}  // namespace kgym::judge::sandbox
