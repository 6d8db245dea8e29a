#include "service/compat/machine_load.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace kgym::service::kernelgym {
namespace {

std::string Gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1fGB", bytes / (1u << 30));
  return text;
}

/// "MemAvailable: 123 kB" of /proc/meminfo, in bytes; 0 where it is not told.
double Available() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  double kilobytes = 0;
  while (file >> name >> kilobytes && std::getline(file, unit)) {
    if (name == "MemAvailable:") return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

Json MachineLoad() {
  struct sysinfo info = {};
  sysinfo(&info);
  const double total = static_cast<double>(info.totalram) * info.mem_unit, available = Available();
  double load = 0;
  getloadavg(&load, 1);
  const double cores = std::max(1u, std::thread::hardware_concurrency());
  return {{"cpu_percent", std::min(100.0, 100 * load / cores)},
          {"memory_percent", total > 0 ? 100 * (total - available) / total : 0},
          {"memory_available", Gigabytes(available)},
          {"memory_total", Gigabytes(total)}};
}

}  // namespace kgym::service::kernelgym
