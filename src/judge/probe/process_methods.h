// The probe's methods for zygotes and hosts: the sandbox of judge/sandbox, and what a host sets about itself.
//
// Threads: the main thread of a zygote or host, with the GIL. fork_host returns twice.
#pragma once

#include "judge/probe/python_api.h"

namespace kgym::judge::probe {

extern PyMethodDef kProcessMethods[];  // Ends with a null entry.

}  // namespace kgym::judge::probe
