#include "judge/sandbox/namespaces.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstring>

namespace kgym::judge::sandbox {
namespace {

Step Leave(const SandboxSpec& spec, const char* ns, int flag) {
  const std::string name = std::string(ns) + "_namespace";
  if (!spec.Wants(ns)) return None(name, "not asked for");
  if (unshare(flag) != 0) return Failed(name, "unshare");
  return Full(name);
}

}  // namespace

Step OwnMountNamespace(const SandboxSpec& spec) {
  Step step = Leave(spec, "mount", CLONE_NEWNS);
  if (step.level != Level::kFull) return step;
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return Failed(step.name, "making mounts private");
  return step;
}

std::vector<Step> LeaveSharedNamespaces(const SandboxSpec& spec) {
  std::vector<Step> steps;
  steps.push_back(Leave(spec, "net", CLONE_NEWNET));
  steps.push_back(Leave(spec, "ipc", CLONE_NEWIPC));
  steps.push_back(Leave(spec, "uts", CLONE_NEWUTS));
  if (steps.back().level == Level::kFull) sethostname("kgym", std::strlen("kgym"));
  return steps;
}

}  // namespace kgym::judge::sandbox
