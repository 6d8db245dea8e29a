#include "service/http/schema.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <regex>

#include "base/text.h"

namespace kgym::http {
namespace {

constexpr std::size_t kMostMisfits = 16;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::string_view kReference = "#/components/schemas/";

const Json& Resolved(const Json& schema, const Json& components) {
  const auto reference = schema.find("$ref");
  if (reference == schema.end()) return schema;
  const std::string name = reference->get<std::string>().substr(kReference.size());
  KGYM_CHECK(components.contains(name)) << "no schema " << name;
  return components[name];
}

std::size_t Characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

bool IsWhole(const Json& value) {
  return value.is_number_integer() ||
         (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>() &&
          std::abs(value.get<double>()) < 9e15);
}

bool HasType(const Json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return IsWhole(value);
  if (type == "number") return value.is_number();
  return value.is_null();
}

std::vector<std::string> Types(const Json& schema) {
  const auto type = schema.find("type");
  if (type == schema.end()) return {};
  if (type->is_string()) return {type->get<std::string>()};
  return type->get<std::vector<std::string>>();
}

std::string Article(const std::string& type) {
  return (type == "integer" || type == "object" || type == "array" ? "an " : "a ") + type;
}

/// " of 1 to 200 characters", " from 0 to 2", or nothing.
std::string Range(const Json& schema, const char* least, const char* most, std::string_view unit) {
  const bool low = schema.contains(least), high = schema.contains(most);
  const auto number = [&](const char* key) { return DumpJson(schema[key]); };
  const std::string_view from = unit.empty() ? " from " : " of ";
  if (low && high) return Concat(from, number(least), " to ", number(most), unit);
  if (low) return Concat(" of at least ", number(least), unit);
  if (high) return Concat(" of at most ", number(most), unit);
  return "";
}

class Checker {
 public:
  explicit Checker(const Json& components) : components_(components) {}

  void Check(const Json& value, const Json& unresolved, const std::string& pointer, const std::string& field);
  std::vector<Misfit> found;

 private:
  void CheckText(const Json& value, const Json& schema, const std::string& pointer, const std::string& field);
  void CheckNumber(const Json& value, const Json& schema, const std::string& pointer, const std::string& field);
  void CheckObject(const Json& value, const Json& schema, const std::string& pointer, const std::string& field);
  void CheckArray(const Json& value, const Json& schema, const std::string& pointer, const std::string& field);
  void CheckExtra(const Json& value, const Json& schema, const std::string& name, const std::string& pointer,
                  const std::string& field);
  const Json* Branch(const Json& value, const Json& choices) const;

  void Say(const std::string& pointer, std::string detail) {
    if (found.size() < kMostMisfits) found.push_back({pointer, std::move(detail)});
  }
  void Unexpected(const Json& value, const Json& schema, const std::string& pointer, const std::string& field) {
    const std::string shown(TruncateUtf8(DumpJson(value), 80));
    Say(pointer, Concat(field.empty() ? "the body: " : Concat("field '", field, "': "), shown, " found; ",
                        Expectation(schema, components_), " is expected"));
  }

  const Json& components_;
};

std::string Escaped(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '~' || c == '/') {
      escaped += c == '~' ? "~0" : "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Inside(const std::string& field, std::string_view name) {
  return field.empty() ? std::string(name) : Concat(field, ".", name);
}

void Checker::Check(const Json& value, const Json& unresolved, const std::string& pointer, const std::string& field) {
  const Json& schema = Resolved(unresolved, components_);
  if (const auto choices = schema.find("oneOf"); choices != schema.end()) {
    const Json* branch = Branch(value, *choices);
    return branch != nullptr ? Check(value, *branch, pointer, field) : Unexpected(value, schema, pointer, field);
  }
  const std::vector<std::string> types = Types(schema);
  const auto fits = [&](const std::string& type) { return HasType(value, type); };
  if (!types.empty() && std::ranges::none_of(types, fits)) return Unexpected(value, schema, pointer, field);
  if (const auto words = schema.find("enum"); words != schema.end()) {
    if (std::ranges::find(*words, value) == words->end()) return Unexpected(value, schema, pointer, field);
  }
  if (value.is_string()) CheckText(value, schema, pointer, field);
  if (value.is_number()) CheckNumber(value, schema, pointer, field);
  if (value.is_object()) CheckObject(value, schema, pointer, field);
  if (value.is_array()) CheckArray(value, schema, pointer, field);
}

const Json* Checker::Branch(const Json& value, const Json& choices) const {
  const Json* first = nullptr;  // Of those whose type it has.
  for (const Json& choice : choices) {
    const Json& schema = Resolved(choice, components_);
    const auto fits = [&](const std::string& type) { return HasType(value, type); };
    if (std::ranges::none_of(Types(schema), fits)) continue;
    const auto required = schema.find("required");
    const bool named = required != schema.end() && !required->empty() &&
                       value.contains(required->front().get_ref<const std::string&>());
    if (!value.is_object() || named) return &choice;
    if (first == nullptr) first = &choice;
  }
  return first;
}

void Checker::CheckText(const Json& value, const Json& schema, const std::string& pointer, const std::string& field) {
  const std::string& text = value.get_ref<const std::string&>();
  const std::size_t length = Characters(text);
  const bool fits =
      length >= schema.value("minLength", std::size_t{0}) && length <= schema.value("maxLength", std::string::npos) &&
      (!schema.contains("pattern") || std::regex_search(text, std::regex(schema["pattern"].get<std::string>())));
  if (!fits) Unexpected(value, schema, pointer, field);
}

void Checker::CheckNumber(const Json& value, const Json& schema, const std::string& pointer, const std::string& field) {
  const auto number = value.get<double>();
  const bool fits = number >= schema.value("minimum", -kInfinity) && number <= schema.value("maximum", kInfinity) &&
                    number > schema.value("exclusiveMinimum", -kInfinity);
  if (!fits) Unexpected(value, schema, pointer, field);
}

void Checker::CheckObject(const Json& value, const Json& schema, const std::string& pointer, const std::string& field) {
  for (const Json& name : schema.value("required", Json::array())) {
    if (value.contains(name.get<std::string>())) continue;
    Say(pointer, Concat("field '", Inside(field, name.get<std::string>()), "' is missing; ",
                        Expectation(schema["properties"][name.get<std::string>()], components_), " is expected"));
  }
  if (value.size() > schema.value("maxProperties", std::string::npos)) Unexpected(value, schema, pointer, field);
  const Json& properties = schema.contains("properties") ? schema["properties"] : Json::object();
  for (const auto& [name, inner] : value.items()) {
    const std::string there = Concat(pointer, "/", Escaped(name));
    if (const auto names = schema.find("propertyNames"); names != schema.end()) Check(name, *names, there, field);
    if (const auto known = properties.find(name); known != properties.end()) {
      Check(inner, *known, there, Inside(field, name));
    } else {
      CheckExtra(inner, schema, name, there, field);
    }
  }
}

void Checker::CheckExtra(const Json& value, const Json& schema, const std::string& name, const std::string& pointer,
                         const std::string& field) {
  const auto extra = schema.find("additionalProperties");
  if (extra == schema.end() || (extra->is_boolean() && extra->get<bool>())) return;
  if (extra->is_object()) return Check(value, *extra, pointer, Inside(field, name));
  std::vector<std::string> known;
  if (schema.contains("properties")) {
    for (const auto& [property, unused] : schema["properties"].items()) known.push_back(property);
  }
  Say(pointer, Concat("unknown field '", TruncateUtf8(Inside(field, name), 80), "'", DidYouMean(name, known),
                      "; known: ", Join(known, ", ")));
}

void Checker::CheckArray(const Json& value, const Json& schema, const std::string& pointer, const std::string& field) {
  const bool fits = value.size() >= schema.value("minItems", std::size_t{0}) &&
                    value.size() <= schema.value("maxItems", std::string::npos);
  if (!fits) return Unexpected(Json(Concat(value.size(), " items")), schema, pointer, field);
  const auto items = schema.find("items");
  if (items == schema.end()) return;
  for (std::size_t i = 0; i < value.size(); ++i) {
    Check(value[i], *items, Concat(pointer, "/", i), Concat(field, "[", i, "]"));
  }
}

Json ReadParameter(const std::string& text, const std::string& type) {
  if (type == "integer" || type == "number") {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(number)) return number;
  }
  if (type == "boolean" && (text == "true" || text == "false")) return text == "true";
  return text;
}

}  // namespace

std::vector<Misfit> CheckSchema(const Json& value, const Json& schema, const Json& components) {
  Checker checker(components);
  checker.Check(value, schema, "", "");
  return std::move(checker.found);
}

std::vector<Misfit> CheckParameter(const std::string& name, const std::string& text, const Json& schema) {
  static const Json kNone = Json::object();
  const std::vector<std::string> types = Types(schema);
  Checker checker(kNone);
  checker.Check(ReadParameter(text, types.empty() ? "string" : types.front()), schema, "", name);
  for (Misfit& misfit : checker.found) misfit.detail.replace(0, 5, "parameter");  // Not "field".
  return std::move(checker.found);
}

std::string Expectation(const Json& unresolved, const Json& components) {
  const Json& schema = Resolved(unresolved, components);
  std::vector<std::string> ways;
  for (const Json& choice : schema.value("oneOf", Json::array())) {
    std::string way = Expectation(choice, components);
    if (std::ranges::find(ways, way) == ways.end()) ways.push_back(std::move(way));
  }
  if (!ways.empty()) return Join(ways, " or ");
  if (schema.contains("enum")) {
    for (const Json& word : schema["enum"]) ways.push_back(word.is_string() ? word.get<std::string>() : DumpJson(word));
    return "one of " + Join(ways, ", ");
  }
  for (const std::string& type : Types(schema)) {
    std::string way = type == "null" ? type : Article(type);
    if (type == "string") way += Range(schema, "minLength", "maxLength", " characters");
    if (type == "string" && schema.contains("pattern")) way += " like " + schema["pattern"].get<std::string>();
    if (type == "array") way += Range(schema, "minItems", "maxItems", " items");
    if (type == "integer" || type == "number") way += Range(schema, "minimum", "maximum", "");
    if (schema.contains("exclusiveMinimum")) way += " above " + DumpJson(schema["exclusiveMinimum"]);
    ways.push_back(std::move(way));
  }
  return ways.empty() ? "another value" : Join(ways, " or ");
}

}  // namespace kgym::http
