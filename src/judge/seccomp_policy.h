// Which system calls a host may not make, as a seccomp program.
//
// A deny-list: what torch, Triton, compilers and drivers call is too wide and changes too often to be allowed one by
// one, and what must never happen is a short list. A denied call fails with EPERM, so that a library takes its other
// way; clone3 fails with ENOSYS, for its flags lie in memory where a filter cannot look, and the C library then uses
// clone. docs/sandbox.md has the list.
//
// Threads: any; no state. This is the judge's side: hosts only get the bytes, and need no library to install them.
#pragma once

#include <string>

namespace kgym::judge {

/// Kinds of hosts differ little: what is frozen while others are measured may hold nothing that could wake it.
enum class SeccompUse {
  kFreezable,  // Reference and candidate hosts.
  kBuild,      // Builder hosts.
};

/// The bytes of an array of `struct sock_filter`, for this machine's architecture. Empty, with a sentence in `error`,
/// where the program cannot be made.
std::string SeccompProgram(SeccompUse use, std::string& error);

/// The same as lower-case hexadecimal text, as SandboxSpec's `seccomp_hex` wants it.
std::string SeccompProgramHex(SeccompUse use, std::string& error);

}  // namespace kgym::judge
