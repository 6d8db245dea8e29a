#include "judge/sandbox/cgroup.h"

#include "judge/sandbox/files.h"

namespace kgym::judge::sandbox {
namespace {

constexpr const char* kName = "cgroup";

}  // namespace

Step JoinCgroups(const SandboxSpec& spec) {
  if (spec.cgroups.empty()) return None(kName, "no folder was given; limits hold for each process, not for their sum");
  std::string missing;
  std::size_t joined = 0;
  for (const std::string& folder : spec.cgroups) {
    if (WriteExisting(folder + "/cgroup.procs", "0")) {
      ++joined;
    } else {
      missing += (missing.empty() ? "" : "; ") + ErrnoText(folder);
    }
  }
  if (missing.empty()) return Full(kName, std::to_string(joined) + " joined");
  return joined > 0 ? Partial(kName, missing) : None(kName, missing);
}

}  // namespace kgym::judge::sandbox
