// The target of a request, taken apart: "/v1/problems/level1/softmax?full=1".
//
// Threads: any.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kgym::http {

struct Target {
  std::vector<std::string> segments;  // Decoded; "a%2Fb" is one segment, and an empty one is kept.
  std::map<std::string, std::string> query;
};

/// Origin form only, as servers get it. An error says what is wrong with it.
Result<Target> ParseTarget(std::string_view target);

/// "%41+" is "A+", or "A " where `plus_is_space`. What decodes to bytes that are not UTF-8, or to NUL, is an error.
Result<std::string> PercentDecode(std::string_view text, bool plus_is_space);

/// All but [A-Za-z0-9-._~] escaped: safe as a segment or a query value.
std::string PercentEncode(std::string_view text);

}  // namespace kgym::http
