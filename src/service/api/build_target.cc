#include "service/api/build_target.h"

#include "base/result.h"

namespace kgym::service {

Json BuildTargetsJson(const std::set<BuildTarget>& targets) {
  Json json = Json::array();
  for (const auto& [labels, mark] : targets) json.push_back({{"labels", labels}, {"mark", mark}});
  return json;
}

std::set<BuildTarget> ReadBuildTargets(const std::string& text) {
  std::set<BuildTarget> targets;
  const Result<Json> json = ParseJson(text, "lanes");
  if (!json.ok() || !json->is_array()) return targets;
  for (const Json& one : *json) {
    const Result<std::string> mark = GetString(one, "mark");
    const Result<const Json*> said = GetObject(one, "labels");
    if (!mark.ok() || !said.ok()) continue;
    Labels labels;
    for (const auto& [name, value] : (*said)->items()) {
      if (value.is_string()) labels[name] = value.get<std::string>();
    }
    targets.emplace(std::move(labels), *mark);
  }
  return targets;
}

}  // namespace kgym::service
