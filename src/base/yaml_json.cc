#include "base/yaml_json.h"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <string>

#include "base/text.h"

namespace kgym {
namespace {

constexpr int kDeepest = 16;  // An alias may contain itself.

struct Fault {
  int line;
  std::string message;
};

template <class Number>
bool IsNumber(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  return code == std::errc() && stop == end;
}

Json FromScalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // It was quoted.
  if (text == "true" || text == "false") return text == "true";
  std::int64_t whole = 0;
  if (IsNumber(text, whole)) return whole;
  double number = 0;
  if (IsNumber(text, number) && text.find_first_of("0123456789") != std::string::npos) return number;
  return text;
}

Json FromNode(const YAML::Node& node, int depth) {
  if (depth == kDeepest) throw Fault{node.Mark().line + 1, Concat("nested deeper than ", kDeepest)};
  if (node.IsScalar()) return FromScalar(node);
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const YAML::Node& item : node) list.push_back(FromNode(item, depth + 1));
    return list;
  }
  if (!node.IsMap()) return nullptr;
  Json map = Json::object();
  for (const auto& pair : node) {
    if (!pair.first.IsScalar()) throw Fault{pair.first.Mark().line + 1, "a key that is not text"};
    const std::string& key = pair.first.Scalar();
    if (map.contains(key)) throw Fault{pair.first.Mark().line + 1, Concat("'", key, "' is set twice")};
    map[key] = FromNode(pair.second, depth + 1);
  }
  return map;
}

}  // namespace

Result<Json> YamlToJson(std::string_view text, std::string_view where) {
  if (!IsUtf8(text)) return Error{Concat(where, ": it is not UTF-8")};
  try {
    return FromNode(YAML::Load(std::string(text)), 0);
  } catch (const Fault& fault) {
    return Error{Concat(where, ":", fault.line, ": ", fault.message)};
  } catch (const YAML::Exception& failure) {
    return Error{Concat(where, ":", failure.mark.line + 1, ": ", failure.msg)};
  }
}

}  // namespace kgym
