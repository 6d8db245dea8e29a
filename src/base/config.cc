#include "base/config.h"

#include <algorithm>

#include "base/config_value.h"
#include "base/text.h"

namespace kgym {

using internal::Expectation;
using internal::SetFromText;
using internal::ValueJson;
using internal::ValueText;

void ConfigFields::Add(std::string_view key, ConfigField::Target target, FieldInfo info) {
  const std::string full = prefix_ + std::string(key);
  KGYM_CHECK(Find(full) == nullptr) << full << " is named twice";
  fields_.push_back({full, std::move(target), std::move(info)});
}

ConfigField* ConfigFields::Find(std::string_view key) {
  const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const ConfigField& f) { return f.key == key; });
  return found == fields_.end() ? nullptr : &*found;
}

Error ConfigFields::Unknown(std::string_view key) const {
  std::vector<std::string> keys;
  for (const ConfigField& field : fields_) keys.push_back(field.key);
  return Error{Concat("unknown key '", key, "'", DidYouMean(key, keys))};
}

Status ConfigFields::Set(std::string_view key, std::string_view value) {
  ConfigField* const field = Find(key);
  if (field == nullptr) return Unknown(key);
  return SetFromText(*field, value);
}

Status ConfigFields::Override(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    return Error{Concat("config: '", assignment, "' found; key=value is expected, such as ",
                        fields_.empty() ? std::string("a.b=c") : fields_[0].key + "=" + ValueText(fields_[0]))};
  }
  const Status set = Set(Trim(assignment.substr(0, equals)), Trim(assignment.substr(equals + 1)));
  if (!set.ok()) return Within("config", set.error());
  return Ok();
}

std::string ConfigFields::Help() const {
  std::vector<std::string> left;
  std::size_t width = 0;
  for (const ConfigField& field : fields_) {
    const std::string value = ValueText(field);
    left.push_back(Concat(field.key, " = ", value.empty() ? std::string("''") : value,
                          field.info.unit.empty() ? "" : " ", field.info.unit));
    width = std::max(width, left.back().size());
  }
  std::string table;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    table += Concat("  ", left[i], std::string(width - left[i].size() + 2, ' '), fields_[i].info.meaning, " (",
                    Expectation(fields_[i]), ")\n");
  }
  return table;
}

Json ConfigFields::ToJson() const {
  Json json = Json::object();
  for (const ConfigField& field : fields_) {
    Json* place = &json;
    for (const std::string& part : Split(field.key, '.')) place = &(*place)[part];
    *place = ValueJson(field);
  }
  return json;
}

std::string ConfigFields::ToYaml() const {
  std::string yaml;
  for (const ConfigField& field : fields_) {
    yaml += Concat("# ", field.info.meaning, field.info.unit.empty() ? "" : ", ", field.info.unit, " (",
                   Expectation(field), ")\n", field.key, ": ", DumpJson(ValueJson(field)), "\n");
  }
  return yaml;
}

}  // namespace kgym
