// What lies in GPU memory, and filling it: for following where an answer came from.
//
//   gpu_checksum(address: int, bytes: int) -> int    64 bits that change, but by chance, when any byte does
//   gpu_fill(address: int, bytes: int, byte: int) -> None
// Both wait for every stream first, and are done when they return. RuntimeError names the driver's error.
//
// Threads: the host's main thread, with torch's context current.
#pragma once

#include "judge/probe/python_api.h"

namespace kgym::judge::probe {

extern PyMethodDef kGpuContentMethods[];  // Ends with a null entry.

}  // namespace kgym::judge::probe
