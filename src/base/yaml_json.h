// YAML as JSON, for small files that a person writes.
//
// Plain scalars become null, booleans and numbers as YAML's core schema has it; quoted ones are text.
//
// Threads: any.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace kgym {

/// An error reads "<where>:<line>: ...". Nesting deeper than 16 is refused.
Result<Json> YamlToJson(std::string_view text, std::string_view where);

}  // namespace kgym
