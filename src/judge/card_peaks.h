// What is known of a card by its name: what it can do at most, from its maker's data sheet, for the floor under which
// no time can lie; and what two CUDA events around a call add to its time.
//
// Threads: any.
#pragma once

#include <string>

namespace kgym::judge {

/// Memory bandwidth in GB/s (10^9) of the card that NVML calls `name`; for an unknown card a value above every known
/// one, so that nothing honest is ever below the floor.
double PeakMemoryGbPerS(const std::string& name);

/// Milliseconds from the first event's time stamp to the kernel's start and from its end to the second's, as measured
/// beside CUPTI (docs/timing.md); 0 for a card on which nobody has.
double EventCostMs(const std::string& name);

}  // namespace kgym::judge
