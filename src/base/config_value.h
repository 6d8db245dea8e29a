// One config field's value as text, for config.cc and config_yaml.cc only.
//
// Threads: as for ConfigFields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"

namespace kgym::internal {

/// An error reads "<key>: '<text>' found; <what is expected> is expected".
Status SetFromText(ConfigField& field, std::string_view text);

/// As SetFromText, for the items of a list.
Status SetFromList(ConfigField& field, const std::vector<std::string>& items);

/// "an integer from 1 to 1000", "one of host, judge, both".
std::string Expectation(const ConfigField& field);

/// The value as SetFromText reads it.
std::string ValueText(const ConfigField& field);

Json ValueJson(const ConfigField& field);

}  // namespace kgym::internal
