// JSON: reading text that may be wrong or hostile, and taking fields out of it with errors that name them.
//
// Field order is kept, so that records read as they were written. Text is UTF-8; a number is an int64, a uint64 or a
// double. Nothing here throws.
//
// Threads: any; a Json is a plain value.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kgym {

using Json = nlohmann::ordered_json;

/// An error reads "<where>:<line>:<column>: ...". Refused: nesting deeper than 128, and more than 1024 fields an
/// object.
Result<Json> ParseJson(std::string_view text, std::string_view where = "json");

/// One line where `indent` is negative. Bytes that are not UTF-8 become U+FFFD, numbers that are not finite null.
std::string DumpJson(const Json& json, int indent = -1);

/// The field of an object; an error names the field, what was found and what was expected. Integers are not booleans,
/// and a whole number such as 3.0 is not an integer; an integer is a double.
Result<std::string> GetString(const Json& json, std::string_view field);
Result<std::int64_t> GetInt(const Json& json, std::string_view field);
Result<double> GetDouble(const Json& json, std::string_view field);
Result<bool> GetBool(const Json& json, std::string_view field);

/// Point into `json`.
Result<const Json*> GetField(const Json& json, std::string_view field);
Result<const Json*> GetArray(const Json& json, std::string_view field);
Result<const Json*> GetObject(const Json& json, std::string_view field);

/// `otherwise` where the field is absent or null; a field of the wrong type is still an error.
Result<std::string> GetStringOr(const Json& json, std::string_view field, std::string otherwise);
Result<std::int64_t> GetIntOr(const Json& json, std::string_view field, std::int64_t otherwise);
Result<double> GetDoubleOr(const Json& json, std::string_view field, double otherwise);
Result<bool> GetBoolOr(const Json& json, std::string_view field, bool otherwise);

}  // namespace kgym
