// User namespaces: privilege over our own namespaces for a zygote that has none, and an account of its own for each
// host.
//
// Threads: a process enters a user namespace only while it has one thread.
#pragma once

#include "judge/sandbox/spec.h"
#include "judge/sandbox/step.h"

namespace kgym::judge::sandbox {

/// True where this process may make namespaces and mounts as it is.
bool MayAdminister();

/// For the zygote. Without privilege it becomes uid 0 of a new user namespace, and can then make all others. It tries
/// in a child first, so that a system which allows the namespace but nothing inside it leaves the zygote as it was.
Step BecomeAdministrator(const SandboxSpec& spec);

/// For a host: a user namespace in which it is `spec.uid`. It closes two things: the host owns nothing outside, and the
/// kernel counts its processes apart from those of other hosts, so one host's fork bomb fills one host's limit.
Step OwnUserNamespace(const SandboxSpec& spec);

}  // namespace kgym::judge::sandbox
