// A lane that judges, as those who build for it know it.
//
// Threads: any; plain values.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "base/json.h"
#include "service/schedule/labels.h"

namespace kgym::service {

/// Of every lane that only builds: the value of its label "device", and what its name begins with.
inline constexpr const char* kBuildDevice = "build";

/// Its labels, and the judge::BuildMark() of the builds that it takes.
using BuildTarget = std::pair<Labels, std::string>;

/// As a server tells its workers of them; what cannot be read is left out.
Json BuildTargetsJson(const std::set<BuildTarget>& targets);
std::set<BuildTarget> ReadBuildTargets(const std::string& text);

}  // namespace kgym::service
