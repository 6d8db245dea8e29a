// The probe's own kernels: their text, and what a zygote had compiled of it.
//
// They are written in PTX, which the driver compiles when a module is loaded: 0.1 s in each process. A zygote may have
// them compiled once, by the toolchain's own assembler, and its hosts inherit the images.
//
//   gpu_kernels() -> {name: PTX}
//   gpu_use_image(name: str, image: bytes) -> None    before the first use in this process or a fork of it
//
// Threads: the main thread of a zygote or host, with the interpreter lock.
#pragma once

#include "judge/probe/python_api.h"

namespace kgym::judge::probe {

/// What cuModuleLoadData takes: the image that was given for `name`, or `ptx`.
const void* ImageOr(const char* name, const char* ptx);

extern const char* const kOccupyPtx;    // Of gpu_occupy.cc.
extern const char* const kChecksumPtx;  // Of gpu_content.cc.

extern PyMethodDef kGpuImageMethods[];  // Ends with a null entry.

}  // namespace kgym::judge::probe
