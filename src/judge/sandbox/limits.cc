#include "judge/sandbox/limits.h"

#include <sys/resource.h>

#include <algorithm>

#include "judge/sandbox/files.h"

namespace kgym::judge::sandbox {
namespace {

constexpr const char* kName = "limits";
constexpr std::uint64_t kMiB = 1 << 20;

// Sets soft and hard alike, never above the hard limit that holds already: raising it may be forbidden and is never
// wanted.
bool Lower(__rlimit_resource resource, std::uint64_t value) {
  rlimit now = {};
  if (getrlimit(resource, &now) != 0) return false;
  const rlim_t wanted = std::min<rlim_t>(value, now.rlim_max);
  const rlimit next = {wanted, wanted};
  return setrlimit(resource, &next) == 0;
}

}  // namespace

Step SetLimits(const SandboxSpec& spec) {
  struct Limit {
    const char* key;
    __rlimit_resource resource;
    std::uint64_t value;
  };
  const auto memory = spec.memory_kind == MemoryKind::kData ? RLIMIT_DATA : RLIMIT_AS;
  const Limit limits[] = {
      {"memory_mb", memory, spec.memory_mb * kMiB},
      {"files", RLIMIT_NOFILE, spec.files},
      {"file_mb", RLIMIT_FSIZE, spec.file_mb * kMiB},
      {"processes", RLIMIT_NPROC, spec.processes},
  };
  std::string missing;
  const auto lacks = [&missing](const std::string& what) {
    missing += (missing.empty() ? "" : "; ") + ErrnoText(what);
  };
  for (const Limit& limit : limits) {
    if (limit.value > 0 && !Lower(limit.resource, limit.value)) lacks(limit.key);
  }
  if (!Lower(RLIMIT_CORE, 0)) lacks("core");
  if (!WriteExisting("/proc/self/oom_score_adj", "1000")) lacks("oom_score_adj");
  return missing.empty() ? Full(kName) : Partial(kName, missing);
}

}  // namespace kgym::judge::sandbox
