#include "judge/sandbox/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace kgym::judge::sandbox {
namespace {

constexpr const char* kName = "landlock";

// The kernel's interface, spelt out: headers of older distributions stop at its second version.
struct RulesetAttr {
  std::uint64_t fs;
  std::uint64_t net;
  std::uint64_t scoped;
};
struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t parent;
};
constexpr unsigned kGetVersion = 1;
constexpr int kRulePathBeneath = 1;

constexpr std::uint64_t Bit(int n) { return std::uint64_t{1} << n; }
constexpr std::uint64_t kExecute = Bit(0), kWriteFile = Bit(1), kReadFile = Bit(2), kReadDir = Bit(3),
                        kTruncate = Bit(14), kIoctlDev = Bit(15);
constexpr std::uint64_t kVersion1 = Bit(13) - 1;  // Execute to make_sym.
constexpr std::uint64_t kRefer = Bit(13);  // Version 2. Never granted by default, so it must be handled to be granted.
constexpr std::uint64_t kTcp = Bit(0) | Bit(1);     // Version 4: bind, connect.
constexpr std::uint64_t kScopes = Bit(0) | Bit(1);  // Version 6: abstract unix sockets, signals.
constexpr std::uint64_t kFileOnly = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;
constexpr std::uint64_t kRead = kExecute | kReadFile | kReadDir;
constexpr int kWholeVersion = 6;

RulesetAttr HandledBy(int version) {
  RulesetAttr attr = {kVersion1, 0, 0};
  if (version >= 2) attr.fs |= kRefer;
  if (version >= 3) attr.fs |= kTruncate;
  if (version >= 4) attr.net = kTcp;
  if (version >= 5) attr.fs |= kIoctlDev;
  if (version >= 6) attr.scoped = kScopes;
  return attr;
}

// A path that does not exist needs no rule.
void Allow(int ruleset, const std::string& path, std::uint64_t access) {
  const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return;
  struct stat found;
  if (fstat(fd, &found) == 0) {
    if (!S_ISDIR(found.st_mode)) access &= kFileOnly;
    const PathRule rule = {access, fd};
    syscall(SYS_landlock_add_rule, ruleset, kRulePathBeneath, &rule, 0u);
  }
  close(fd);
}

}  // namespace

Landlock Landlock::Prepare(const SandboxSpec& spec) {
  Landlock landlock;
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, std::size_t{0}, kGetVersion);
  if (version < 1) {
    landlock.step_ = Failed(kName, "landlock_create_ruleset");
    return landlock;
  }
  const RulesetAttr handled = HandledBy(static_cast<int>(version));
  landlock.ruleset_ = static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0u));
  if (landlock.ruleset_ < 0) {
    landlock.step_ = Failed(kName, "landlock_create_ruleset");
    return landlock;
  }
  const int rules = landlock.ruleset_;
  for (const std::string& path : spec.read_only) Allow(rules, path, kRead & handled.fs);
  for (const char* path : {"/etc/passwd", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf"}) {
    Allow(rules, path, kReadFile & handled.fs);
  }
  // Threads are named through /proc/self/task, by writing.
  Allow(rules, "/proc", (kReadFile | kReadDir | kWriteFile) & handled.fs);
  const std::uint64_t device = (kReadFile | kWriteFile | kIoctlDev) & handled.fs;
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"})
    Allow(rules, path, device);
  for (const std::string& path : spec.devices) Allow(rules, path, (device | kReadDir) & handled.fs);
  for (const char* path : kWritable) Allow(rules, path, handled.fs);

  const std::string detail = "version " + std::to_string(version);
  landlock.step_ = version >= kWholeVersion ? Full(kName, detail)
                                            : Partial(kName, detail + ": no scope for signals and abstract sockets" +
                                                                 (version < 4 ? ", no rule for TCP" : "") +
                                                                 (version < 3 ? ", none for truncation" : ""));
  return landlock;
}

bool Landlock::RestrictThread() const { return syscall(SYS_landlock_restrict_self, ruleset_, 0u) == 0; }

void Landlock::Close() {
  if (ruleset_ >= 0) close(ruleset_);
  ruleset_ = -1;
}

}  // namespace kgym::judge::sandbox
