// Reading what a host says: any JSON whatever, so nothing here throws or believes a type.
//
// Threads: any; pure. References point into the argument, or to a constant.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace kgym::judge {

/// The field if it is text, else an empty one; always UTF-8.
std::string ClaimedText(const Json& json, std::string_view field);

/// The field if it is a number, else 0.
double ClaimedNumber(const Json& json, std::string_view field);

bool ClaimedTrue(const Json& json, std::string_view field);

/// The field whatever it is; null where there is none.
const Json& Claimed(const Json& json, std::string_view field);

/// The field if it is an object (an array), else an empty one.
const Json& ClaimedObject(const Json& json, std::string_view field);
const Json& ClaimedArray(const Json& json, std::string_view field);

}  // namespace kgym::judge
