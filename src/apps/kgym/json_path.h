// A place inside a JSON value, by dotted path: "correctness.first.0.got".
//
// Threads: any; pure.
#pragma once

#include <string_view>

#include "base/json.h"

namespace kgym::app {

/// What is there; null where nothing is. A number in the path is an index where it meets an array.
const Json& Lookup(const Json& json, std::string_view path);

}  // namespace kgym::app
