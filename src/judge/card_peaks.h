// What a card can do at most, from its maker's data sheet: for the floor under which no time can lie.
//
// Threads: any.
#pragma once

#include <string>

namespace kgym::judge {

/// Memory bandwidth in GB/s (10^9) of the card that NVML calls `name`; for an unknown card a value above every known
/// one, so that nothing honest is ever below the floor.
double PeakMemoryGbPerS(const std::string& name);

}  // namespace kgym::judge
