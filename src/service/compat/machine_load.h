// How busy this machine is, as Linux says.
//
// Threads: any; reads /proc at each call.
#pragma once

#include "base/json.h"

namespace kgym::service::kernelgym {

/// {"cpu_percent", "memory_percent", "memory_available": "1.5GB", "memory_total": "23.4GB"}. The CPU's share is the
/// load of the last minute over the cores: no call waits for a sample.
Json MachineLoad();

}  // namespace kgym::service::kernelgym
