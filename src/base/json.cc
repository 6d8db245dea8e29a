#include "base/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace kgym {
namespace {

constexpr int kDeepest = 128;      // Whoever walks a value recurses.
constexpr int kMostFields = 1024;  // An object is searched field by field: reading one takes their number squared.
constexpr double kLargestWhole = 0x1p53;  // Beyond it a double is no certain integer.
constexpr std::size_t kShown = 80;        // Bytes of a wrong value that a message repeats.

std::string Place(std::string_view where, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line.
  return std::string(where) + ":" + std::to_string(line) + ":" + std::to_string(before.size() - start + 1);
}

struct Excess {
  std::size_t offset = 0;
  std::string what;
};

/// Where a text nests too deeply or puts too many fields into one object, if it does.
std::optional<Excess> FirstExcess(std::string_view text) {
  std::array<int, kDeepest + 1> fields{};  // Of the object that is open at each depth.
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == ']' || c == '}') depth = std::max(depth - 1, 0);
    if (c == '[' || c == '{') {
      if (++depth > kDeepest) return Excess{i, "nested deeper than " + std::to_string(kDeepest)};
      fields[static_cast<std::size_t>(depth)] = 0;
    }
    if (c == ':' && ++fields[static_cast<std::size_t>(depth)] > kMostFields)
      return Excess{i, "an object of more than " + std::to_string(kMostFields) + " fields"};
  }
  return std::nullopt;
}

/// The parser's sentence without its own prefix ("[json.exception...] parse error at line 1, column 2: ").
std::string Reason(const Json::exception& failure) {
  std::string_view text = failure.what();
  if (const auto end = text.find("column "); end != std::string_view::npos) text.remove_prefix(end);
  if (const auto colon = text.find(": "); colon != std::string_view::npos) text.remove_prefix(colon + 2);
  return std::string(text);
}

Error Unexpected(std::string_view field, const Json& found, std::string_view expected) {
  std::string value = DumpJson(found);
  if (value.size() > kShown) value = DumpJson(value.substr(0, kShown - 3)) + "...";
  return Error{"field '" + std::string(field) + "': " + value + " found; " + std::string(expected) + " is expected"};
}

bool IsWhole(double number) { return std::trunc(number) == number && std::abs(number) <= kLargestWhole; }

bool Absent(const Json& json, std::string_view field) {
  if (!json.is_object()) return false;
  const auto found = json.find(std::string(field));
  return found == json.end() || found->is_null();
}

Result<const Json*> GetIf(const Json& json, std::string_view field, bool (Json::*holds)() const noexcept,
                          std::string_view expected) {
  KGYM_TRY(const Json* found, GetField(json, field));
  if (!(found->*holds)()) return Unexpected(field, *found, expected);
  return found;
}

}  // namespace

Result<Json> ParseJson(std::string_view text, std::string_view where) {
  if (const auto excess = FirstExcess(text)) return Error{Place(where, text, excess->offset) + ": " + excess->what};
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& failure) {
    return Error{Place(where, text, failure.byte > 0 ? failure.byte - 1 : 0) + ": " + Reason(failure)};
  } catch (const Json::exception& failure) {
    return Error{Place(where, text, 0) + ": " + Reason(failure)};
  }
}

std::string DumpJson(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Result<const Json*> GetField(const Json& json, std::string_view field) {
  if (!json.is_object()) return Error{"field '" + std::string(field) + "': an object is expected around it"};
  const auto found = json.find(std::string(field));
  if (found == json.end()) return Error{"field '" + std::string(field) + "' is missing"};
  return &*found;
}

Result<std::string> GetString(const Json& json, std::string_view field) {
  KGYM_TRY(const Json* found, GetIf(json, field, &Json::is_string, "a string"));
  return found->get_ref<const std::string&>();
}

Result<std::int64_t> GetInt(const Json& json, std::string_view field) {
  KGYM_TRY(const Json* found, GetField(json, field));
  if (found->is_number_float() && IsWhole(found->get<double>())) return static_cast<std::int64_t>(found->get<double>());
  KGYM_TRY(found, GetIf(json, field, &Json::is_number_integer, "an integer"));
  const bool too_large =
      found->is_number_unsigned() && found->get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max();
  if (too_large) return Unexpected(field, *found, "an integer of 64 bits");
  return found->get<std::int64_t>();
}

Result<double> GetDouble(const Json& json, std::string_view field) {
  KGYM_TRY(const Json* found, GetIf(json, field, &Json::is_number, "a number"));
  return found->get<double>();
}

Result<bool> GetBool(const Json& json, std::string_view field) {
  KGYM_TRY(const Json* found, GetIf(json, field, &Json::is_boolean, "true or false"));
  return found->get<bool>();
}

Result<const Json*> GetArray(const Json& json, std::string_view field) {
  return GetIf(json, field, &Json::is_array, "an array");
}

Result<const Json*> GetObject(const Json& json, std::string_view field) {
  return GetIf(json, field, &Json::is_object, "an object");
}

Result<std::string> GetStringOr(const Json& json, std::string_view field, std::string otherwise) {
  if (Absent(json, field)) return otherwise;
  return GetString(json, field);
}

Result<std::int64_t> GetIntOr(const Json& json, std::string_view field, std::int64_t otherwise) {
  if (Absent(json, field)) return otherwise;
  return GetInt(json, field);
}

Result<double> GetDoubleOr(const Json& json, std::string_view field, double otherwise) {
  if (Absent(json, field)) return otherwise;
  return GetDouble(json, field);
}

Result<bool> GetBoolOr(const Json& json, std::string_view field, bool otherwise) {
  if (Absent(json, field)) return otherwise;
  return GetBool(json, field);
}

}  // namespace kgym
