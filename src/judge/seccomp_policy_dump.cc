// kgym_seccomp_dump [freezable|build]: prints the seccomp program as hexadecimal text, as a sandbox specification wants
// it. For tests of the probe and for a person who wants to disassemble it.
#include <cstdio>
#include <string_view>

#include "judge/seccomp_policy.h"

int main(int argc, char** argv) {
  using kgym::judge::SeccompUse;
  const bool build = argc > 1 && std::string_view(argv[1]) == "build";
  std::string error;
  const std::string hex = kgym::judge::SeccompProgramHex(build ? SeccompUse::kBuild : SeccompUse::kFreezable, error);
  if (hex.empty()) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  std::puts(hex.c_str());
  return 0;
}
