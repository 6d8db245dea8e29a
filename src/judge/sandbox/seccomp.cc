#include "judge/sandbox/seccomp.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <optional>

namespace kgym::judge::sandbox {
namespace {

constexpr const char* kName = "seccomp";

std::optional<std::string> BytesOfHex(const std::string& hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]);
    const int low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

std::optional<std::string> BytesOfFile(int fd) {
  std::string bytes;
  char buffer[4096];
  ssize_t n = 0;
  while ((n = pread(fd, buffer, sizeof buffer, static_cast<off_t>(bytes.size()))) > 0) {
    bytes.append(buffer, static_cast<std::size_t>(n));
    if (bytes.size() > BPF_MAXINSNS * sizeof(sock_filter)) return std::nullopt;
  }
  close(fd);
  if (n < 0) return std::nullopt;
  return bytes;
}

}  // namespace

Step InstallSeccomp(const SandboxSpec& spec) {
  if (spec.seccomp_hex.empty() && spec.seccomp_fd < 0) return None(kName, "no program was given");
  const std::optional<std::string> bytes =
      spec.seccomp_hex.empty() ? BytesOfFile(spec.seccomp_fd) : BytesOfHex(spec.seccomp_hex);
  if (!bytes || bytes->empty() || bytes->size() % sizeof(sock_filter) != 0 ||
      bytes->size() / sizeof(sock_filter) > BPF_MAXINSNS) {
    return None(kName, "the program is no array of BPF instructions");
  }
  std::vector<sock_filter> instructions(bytes->size() / sizeof(sock_filter));
  std::memcpy(instructions.data(), bytes->data(), bytes->size());
  const sock_fprog program = {static_cast<unsigned short>(instructions.size()), instructions.data()};

  // Without SPEC_ALLOW older kernels switch speculation off for the process, which would change what is being measured.
  constexpr unsigned long kFlags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
  const long stray = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, &program);
  if (stray > 0) return None(kName, "thread " + std::to_string(stray) + " has a filter of its own");
  if (stray < 0) return Failed(kName, "seccomp");
  return Full(kName, std::to_string(instructions.size()) + " instructions");
}

}  // namespace kgym::judge::sandbox
