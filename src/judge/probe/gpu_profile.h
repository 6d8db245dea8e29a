// Which kernels ran, for how long, and on whose behalf: CUPTI's activity records of one observed call.
//
//   gpu_profile_start() -> None
//   gpu_profile_enter(owner: int) -> None      launches from here on are for this owner (this thread; nests)
//   gpu_profile_leave() -> None
//   gpu_profile_stop() -> [(name, owner, stream, start_ns, end_ns), ...]    waits for every stream; by start
// A copy or fill has the name "memcpy" or "memset"; owner is -1 where none was entered. Names are as the compiler
// mangled them. CUPTI comes with torch (or the CUDA toolkit); where it is missing, start raises RuntimeError, and the
// verdict has no profile. Nothing of it runs outside start and stop.
//
// Threads: the host's main thread for start and stop, any for enter and leave, all with the interpreter lock.
#pragma once

#include "judge/probe/python_api.h"

namespace kgym::judge::probe {

extern PyMethodDef kGpuProfileMethods[];  // Ends with a null entry.

}  // namespace kgym::judge::probe
