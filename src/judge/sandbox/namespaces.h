// Mount, network, IPC and host name namespaces of one host.
//
// Threads: the supervisor, which has one.
#pragma once

#include <vector>

#include "judge/sandbox/spec.h"
#include "judge/sandbox/step.h"

namespace kgym::judge::sandbox {

/// Leaves the shared net, ipc and uts namespaces, each by itself so that one that is forbidden costs only itself. The
/// new network has a loopback that is down: nothing can be reached, not even itself.
std::vector<Step> LeaveSharedNamespaces(const SandboxSpec& spec);

/// A mount namespace of our own whose changes nobody else sees. Also used by the zygote.
Step OwnMountNamespace(const SandboxSpec& spec);

}  // namespace kgym::judge::sandbox
