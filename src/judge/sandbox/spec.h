// What a sandbox should be: one specification, of which each stage reads its part.
//
// The judge writes it as JSON; the same object goes to all three stages (prepare_zygote, fork_host, confine). Kinds of
// hosts differ by their specification only. A limit of 0 means: leave it as it is. An unknown key is an error, for a
// misspelt limit would be no limit.
//
// Threads: a plain value.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgym::judge::sandbox {

enum class MemoryKind {
  kData,          // RLIMIT_DATA: private writable memory. Does not count address space that is only reserved (CUDA).
  kAddressSpace,  // RLIMIT_AS: everything mapped.
};

struct SandboxSpec {
  bool strict = false;        // A step that is not full is an error.
  std::string name = "host";  // Name of the host's process, for a person who looks at `ps`; 15 bytes count.
  std::vector<std::string> namespaces = {"user", "pid", "mount", "net", "ipc", "uts"};

  // File system. `root` is an empty folder on which the zygote mounts the template; made where it is missing.
  std::string root;
  std::vector<std::string> read_only;  // Absolute paths that hosts see, at the same place, read-only.
  std::vector<std::string> devices;    // Absolute paths of device files beyond null, zero, full, random, urandom.
  std::uint64_t tmp_mb = 512;          // /tmp and /home/kernel, each.
  std::uint64_t shm_mb = 512;          // /dev/shm.

  std::vector<std::string> cgroups;  // Existing folders to join, at most one a hierarchy.
  std::vector<int> keep_fds;         // What the host holds, beside 0, 1 and 2.

  // Who the host is. Used by a zygote that is root; otherwise the host only appears as this user.
  uid_t uid = 65534;
  gid_t gid = 65534;
  // Who it is outside of its user namespace, where it has one and the zygote is root. The kernel counts some things for
  // each user (descriptors on their way through sockets, pages of pipes, watches): no two hosts should share one. 0:
  // `uid`.
  uid_t outside_uid = 0;

  // Limits of each process of the host.
  std::uint64_t memory_mb = 0;
  MemoryKind memory_kind = MemoryKind::kData;
  std::uint64_t files = 0;      // Open descriptors.
  std::uint64_t file_mb = 0;    // Size of one file; memfds and so arenas count too.
  std::uint64_t processes = 0;  // Processes and threads of the host together.

  // A seccomp program: the bytes of an array of `struct sock_filter`, as hexadecimal text or in a file.
  std::string seccomp_hex;
  int seccomp_fd = -1;  // Kept through fork_host, read from offset 0 and closed by confine.

  bool Wants(std::string_view ns) const;
};

/// Where hosts may write. Every stage agrees on these.
inline constexpr const char* kWritable[] = {"/tmp", "/dev/shm", "/home/kernel"};

/// Returns nothing and sets `error` to a sentence that names the key where the text is not a specification.
std::optional<SandboxSpec> ParseSpec(std::string_view json, std::string& error);

}  // namespace kgym::judge::sandbox
