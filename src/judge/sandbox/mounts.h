// The file system that hosts see: a template that the zygote builds once, and a private writable part for each host.
//
// The template is a read-only tmpfs at `spec.root` with read-only binds of the allowed paths, a /dev of a few harmless
// devices, a minimal /etc, and empty folders for what each host mounts itself. Parents of allowed paths are made anew
// as 0755, so a closed folder above an allowed one on this machine does not matter, and nothing beside the allowed one
// is seen.
//
// Threads: zygote and supervisor, each while it has a mount namespace of its own.
#pragma once

#include "judge/sandbox/spec.h"
#include "judge/sandbox/step.h"

namespace kgym::judge::sandbox {

/// For the zygote, which keeps seeing the machine's own file system.
Step BuildTemplate(const SandboxSpec& spec);

/// For a supervisor: fresh /proc, private /tmp, /dev/shm and /home/kernel, then the template becomes the root and the
/// machine's file system is gone. `own_pids`: whether this process is pid 1 of a namespace; if so /proc is fresh and
/// shows only that.
Step EnterTemplate(const SandboxSpec& spec, bool own_pids);

}  // namespace kgym::judge::sandbox
