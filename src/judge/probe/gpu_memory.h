// GPU memory that two hosts share: made by one, handed over as a file descriptor, mapped by the other.
//
// Physical memory of CUDA's virtual memory interface, not cudaIpc: a descriptor passes through our own socket, so it
// works across namespaces, needs no name that both can see, and dies with the last process that maps it.
//
//   gpu_memory_create(bytes: int) -> (address, size, fd)    size: bytes rounded up to the driver's granularity
//   gpu_memory_open(fd: int, size: int) -> address          the descriptor stays the caller's
//   gpu_memory_close(address: int, size: int) -> None
//   gpu_memory_info() -> (free, total)                      bytes, of the whole card
//   gpu_synchronize() -> None                               waits for all streams of this process's context
// All raise RuntimeError with the driver's own name of the error.
//
// Threads: the host's main thread, with torch's context current.
#pragma once

#include "judge/probe/python_api.h"

namespace kgym::judge::probe {

extern PyMethodDef kGpuMemoryMethods[];  // Ends with a null entry.

}  // namespace kgym::judge::probe
