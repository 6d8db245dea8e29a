// The timed loop on a GPU: each call behind a kernel that fills the card, empties its L2 cache and hides the launch.
//
//   gpu_run_batch(forward, calls, emit, delay_ns) -> [(span_ns, emit_ns, ahead_ns, host_ns), ...]
//     For each i, on the current context's default stream: a kernel that occupies every thread slot of the card, writes
//     more than the L2 cache holds and ends no sooner than delay_ns after it began; an event; forward(*calls[i]); an
//     event; emit(i, output); an event. In the end all streams are waited for. span_ns and emit_ns lie between events;
//     ahead_ns is the occupying kernel; host_ns is how long forward kept the CPU, by CLOCK_MONOTONIC. Where host_ns is
//     longer than ahead_ns the card ran dry, and the span has launch latency in it.
//   gpu_probe_idle(repeats) -> [ns, ...]   spans of a small kernel that needs the whole card: long when another works
//   gpu_card() -> {multiprocessors, threads, l2_bytes}
// Since the kernel leaves no room, work that a call puts on a second stream cannot run ahead of the call's first event.
//
// Threads: the host's main thread, holding the interpreter lock, with torch's context current.
#pragma once

#include "judge/probe/python_api.h"

namespace kgym::judge::probe {

extern PyMethodDef kGpuTimingMethods[];  // Ends with a null entry.

}  // namespace kgym::judge::probe
