// A workflow's input as it is given on a command line: a JSON file, and single fields laid over it.
//
// Threads: main. Reads files.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "judge/workflow/value_type.h"

namespace kgym::app {

/// `file`: of --input; empty: none. `assignments`: of --field, "seed=7", "submission=@leapfrog.py". What comes of them
/// is complete, defaults among it; an error names the option, the field, the value and what is expected.
Result<Json> ReadWorkflowInput(const std::string& workflow, const judge::TypedFields& fields, const std::string& file,
                               const std::vector<std::string>& assignments);

}  // namespace kgym::app
