// The timed loop: calls a forward on a list of argument tuples and takes the monotonic clock around each call.
//
// run_batch(forward, calls, emit) -> [(call_ns, emit_ns), ...]: for each i, out = forward(*calls[i]) is timed, then
// emit(i, out) is timed. The first exception of either ends the batch and is passed on. Nothing is allocated between
// the two readings of a call but what the call itself allocates. Times are nanoseconds of CLOCK_MONOTONIC.
//
// Threads: the host's main thread, holding the interpreter lock.
#pragma once

#include "judge/probe/python_api.h"

namespace kgym::judge::probe {

extern PyMethodDef kTimingMethods[];  // Ends with a null entry.

}  // namespace kgym::judge::probe
