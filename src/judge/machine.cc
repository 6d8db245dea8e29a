#include "judge/machine.h"

#include <sys/utsname.h>

#include <fstream>

#include "base/text.h"

namespace kgym::judge {

std::string CpuModel() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return std::string(Trim(line.substr(line.find(':') + 1)));
  }
  return "unknown";
}

std::string KernelRelease() {
  utsname name{};
  return ::uname(&name) == 0 ? std::string(name.release) : "unknown";
}

}  // namespace kgym::judge
