// What this machine is, as verdicts and cache keys name it.
//
// Threads: any.
#pragma once

#include <string>

namespace kgym::judge {

std::string CpuModel();  // "unknown" where the kernel does not say.
std::string KernelRelease();

}  // namespace kgym::judge
