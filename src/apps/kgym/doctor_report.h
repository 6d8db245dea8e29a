// What `kgym doctor` found, judged and told.
//
// Threads: any; pure.
#pragma once

#include <string>

#include "base/json.h"

namespace kgym::app {

/// Adds "can_evaluate" and "advice", a sentence for each thing that is missing, to what was found: {"machine",
/// "python", "compilers", "backends", "provenance", "zygote_start_ms", "evaluation", "error"}, of which all but the
/// first three may be absent.
void Diagnose(Json& report);

std::string DoctorText(const Json& report, bool colour);

}  // namespace kgym::app
