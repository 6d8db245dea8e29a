#include "judge/claims.h"

#include "base/text.h"

namespace kgym::judge {

const Json& Claimed(const Json& json, std::string_view field) {
  static const Json kNull;
  if (!json.is_object()) return kNull;
  const auto found = json.find(std::string(field));
  return found == json.end() ? kNull : *found;
}

std::string ClaimedText(const Json& json, std::string_view field) {
  const Json& value = Claimed(json, field);
  return value.is_string() ? ToUtf8(value.get_ref<const std::string&>()) : std::string();
}

double ClaimedNumber(const Json& json, std::string_view field) {
  const Json& value = Claimed(json, field);
  return value.is_number() ? value.get<double>() : 0;
}

bool ClaimedTrue(const Json& json, std::string_view field) { return Claimed(json, field) == true; }

const Json& ClaimedObject(const Json& json, std::string_view field) {
  static const Json kEmpty = Json::object();
  const Json& value = Claimed(json, field);
  return value.is_object() ? value : kEmpty;
}

const Json& ClaimedArray(const Json& json, std::string_view field) {
  static const Json kEmpty = Json::array();
  const Json& value = Claimed(json, field);
  return value.is_array() ? value : kEmpty;
}

}  // namespace kgym::judge
