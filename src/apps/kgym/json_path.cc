#include "apps/kgym/json_path.h"

#include <charconv>
#include <string>

#include "base/text.h"

namespace kgym::app {
namespace {

const Json kNull = nullptr;

const Json& Child(const Json& json, const std::string& part) {
  if (json.is_object() && json.contains(part)) return json[part];
  if (!json.is_array()) return kNull;
  std::size_t index = 0;
  const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), index);
  const bool number = code == std::errc() && end == part.data() + part.size();
  return number && index < json.size() ? json[index] : kNull;
}

}  // namespace

const Json& Lookup(const Json& json, std::string_view path) {
  const Json* place = &json;
  for (const std::string& part : Split(path, '.')) place = &Child(*place, part);
  return *place;
}

}  // namespace kgym::app
