// A server's overview (GET /v1/overview) for a person: queue, throughput, verdicts, lanes, what runs and what ended
// last.
//
// Threads: any; pure.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.h"

namespace kgym::app {

/// `rows`: how many of what runs and of what ended last are shown, at most.
std::string OverviewText(const Json& overview, const std::string& url, std::size_t rows, bool colour);

}  // namespace kgym::app
