#include "judge/workflow/value_type.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace kgym::judge {
namespace {

constexpr int kDeepest = 8;  // Levels of a type.
constexpr std::size_t kLongestName = 40;
constexpr std::size_t kShown = 60;  // Of a value, in a message.

constexpr std::array<std::string_view, 6> kWords = {"int", "float", "str", "bool", "bytes", "json"};
constexpr const char* kExpected = "int, float, str, bool, bytes, json, list[T], dict[str, T] or T | None is expected";

bool IsBase64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  const std::size_t end = text.find_last_not_of('=') + 1;
  if (text.size() - end > 2) return false;
  return std::ranges::all_of(text.substr(0, end), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  });
}

/// Of a name that a host chose.
std::string_view Short(const std::string& name) { return TruncateUtf8(name, kLongestName); }

std::string Shown(const Json& value) {
  // Only the outside of what is large: a message must not cost what a hostile value weighs.
  if (value.is_object()) return Concat("an object of ", value.size(), " fields");
  if (value.is_array()) return Concat("a list of ", value.size());
  if (value.is_string() && value.get_ref<const std::string&>().size() > kShown)
    return Concat("a text of ", value.get_ref<const std::string&>().size(), " bytes");
  return DumpJson(value);
}

}  // namespace

std::optional<ValueType> ValueType::Read(std::string_view text, int depth) {
  text = Trim(text);
  ValueType type;
  if (constexpr std::string_view kNone = "| None"; text.ends_with(kNone)) {
    type.optional_ = true;
    text = Trim(text.substr(0, text.size() - kNone.size()));
  }
  if (const auto* word = std::ranges::find(kWords, text); word != kWords.end()) {
    type.kind_ = static_cast<Kind>(word - kWords.begin());
    return type;
  }
  if (depth == kDeepest || !text.ends_with(']')) return std::nullopt;
  std::string_view inner;
  if (text.starts_with("list[")) {
    type.kind_ = Kind::kList;
    inner = text.substr(5, text.size() - 6);
  } else if (text.starts_with("dict[")) {
    type.kind_ = Kind::kDict;
    inner = text.substr(5, text.size() - 6);
    const std::size_t comma = inner.find(',');
    if (comma == std::string_view::npos || Trim(inner.substr(0, comma)) != "str") return std::nullopt;
    inner = inner.substr(comma + 1);
  } else {
    return std::nullopt;
  }
  std::optional<ValueType> element = Read(inner, depth + 1);
  if (!element) return std::nullopt;
  type.element_.push_back(std::move(*element));
  return type;
}

Result<ValueType> ValueType::Parse(std::string_view text) {
  std::optional<ValueType> type = Read(text, 0);
  if (!type) return Error{Concat("'", text, "' is no type; ", kExpected)};
  return std::move(*type);
}

std::string ValueType::text() const {
  std::string text;
  if (kind_ == Kind::kList) text = Concat("list[", element_[0].text(), "]");
  if (kind_ == Kind::kDict) text = Concat("dict[str, ", element_[0].text(), "]");
  if (element_.empty()) text = kWords[static_cast<std::size_t>(kind_)];
  return optional_ ? text + " | None" : text;
}

bool ValueType::Holds(const Json& value) const {
  switch (kind_) {
    case Kind::kInt:
      return value.is_number_integer();
    case Kind::kFloat:
      return value.is_number();
    case Kind::kStr:
      return value.is_string();
    case Kind::kBool:
      return value.is_boolean();
    case Kind::kBytes:
      return value.is_string() && IsBase64(value.get_ref<const std::string&>());
    case Kind::kJson:
      return true;
    case Kind::kList:
      return value.is_array();
    case Kind::kDict:
      return value.is_object();
  }
  return false;
}

std::optional<ValueType::Misfit> ValueType::FirstMisfit(const Json& value) const {
  if (optional_ && value.is_null()) return std::nullopt;
  if (!Holds(value)) return Misfit{"", &value, this};
  if (element_.empty()) return std::nullopt;
  for (const auto& [key, element] : value.items()) {  // Of a list the key is the place.
    std::optional<Misfit> misfit = element_[0].FirstMisfit(element);
    if (!misfit) continue;
    misfit->place = (kind_ == Kind::kList ? Concat("[", key, "]") : Concat(".", Short(key))) + misfit->place;
    return misfit;
  }
  return std::nullopt;
}

Status ValueType::Check(const Json& value, const std::string& where) const {
  const std::optional<Misfit> misfit = FirstMisfit(value);
  if (!misfit) return Ok();
  return Error{
      Concat(where, misfit->place, ": ", Shown(*misfit->value), " found; ", misfit->expected->text(), " is expected")};
}

bool ValueType::Takes(const ValueType& other) const {
  if (kind_ == Kind::kJson) return true;
  if (other.optional_ && !optional_) return false;
  if (kind_ == Kind::kFloat && other.kind_ == Kind::kInt) return true;
  if (kind_ != other.kind_) return false;
  return element_.empty() || element_[0].Takes(other.element_[0]);
}

bool IsPlainName(std::string_view name) {
  if (name.empty() || name.size() > kLongestName || name.front() < 'a' || name.front() > 'z') return false;
  return std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

namespace {

Result<TypedField> ReadTypedField(const std::string& name, const Json& said, const std::string& where) {
  if (!IsPlainName(name)) return Error{Concat(where, ": a name of small letters, digits and underscores is expected")};
  const bool whole = said.is_object();
  if (whole) {
    for (const auto& [key, value] : said.items()) {
      if (key != "type" && key != "default")
        return Error{Concat(where, ": unknown key '", key, "'; type and default are expected")};
    }
  }
  const Json text = whole ? said.value("type", Json()) : said;
  if (!text.is_string()) return Error{Concat(where, ": ", Shown(text), " found; a type is expected: ", kExpected)};
  Result<ValueType> type = ValueType::Parse(text.get<std::string>());
  if (!type.ok()) return Within(where, type.error());
  TypedField field{name, std::move(*type)};
  if (whole && said.contains("default")) {
    KGYM_TRY_VOID(field.type.Check(said["default"], where + ".default"));
    field.otherwise = said["default"];
  }
  return field;
}

}  // namespace

Result<TypedFields> ReadTypedFields(const Json& fields, const std::string& where) {
  TypedFields read;
  if (fields.is_null()) return read;
  if (!fields.is_object())
    return Error{Concat(where, ": ", Shown(fields), " found; a map of names to types is expected")};
  for (const auto& [name, said] : fields.items()) {
    KGYM_TRY(TypedField field, ReadTypedField(name, said, Concat(where, ".", name)));
    read.push_back(std::move(field));
  }
  return read;
}

Json ToJson(const TypedFields& fields) {
  Json json = Json::object();
  for (const TypedField& field : fields) {
    if (field.otherwise) {
      json[field.name] = {{"type", field.type.text()}, {"default", *field.otherwise}};
    } else {
      json[field.name] = field.type.text();
    }
  }
  return json;
}

const TypedField* FindField(const TypedFields& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &TypedField::name);
  return found == fields.end() ? nullptr : &*found;
}

Result<Json> Complete(const TypedFields& fields, Json given, const std::string& where) {
  if (!given.is_object()) return Error{Concat(where, ": ", Shown(given), " found; an object is expected")};
  std::vector<std::string> names;
  for (const TypedField& field : fields) names.push_back(field.name);
  for (const auto& [name, value] : given.items()) {
    if (FindField(fields, name) != nullptr) continue;
    const std::string_view shown = Short(name);
    return Error{
        Concat(where, ": unknown field '", shown, "'", DidYouMean(shown, names), "; known: ", Join(names, ", "))};
  }
  Json complete = Json::object();
  for (const TypedField& field : fields) {
    const auto found = given.find(field.name);
    if (found == given.end() && !field.otherwise)
      return Error{Concat(where, ": field '", field.name, "' is missing; ", field.type.text(), " is expected")};
    Json value = found == given.end() ? *field.otherwise : std::move(*found);
    KGYM_TRY_VOID(field.type.Check(value, Concat(where, ": field '", field.name, "'")));
    complete[field.name] = std::move(value);
  }
  return complete;
}

}  // namespace kgym::judge
