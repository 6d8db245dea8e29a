// Reading config from YAML: the one file that knows yaml-cpp, whose exceptions end here.
#include <yaml-cpp/yaml.h>

#include <set>

#include "base/config.h"
#include "base/config_value.h"
#include "base/files.h"
#include "base/text.h"

namespace kgym {
namespace {

constexpr int kDeepest = 16;  // An alias may contain itself.

struct Entry {
  std::string key;
  int line;
  YAML::Node value;
};

Error At(std::string_view where, int line, std::string_view message) {
  return Error{Concat(where, ":", line, ": ", message)};
}

/// Appends the leaves of a map under dotted keys.
Status Flatten(const YAML::Node& map, const std::string& prefix, std::string_view where, int depth,
               std::vector<Entry>& entries) {
  for (const auto& pair : map) {
    const int line = pair.first.Mark().line + 1;
    if (!pair.first.IsScalar()) return At(where, line, "a key that is not text");
    const std::string key = prefix + pair.first.Scalar();
    if (!pair.second.IsMap()) {
      entries.push_back({key, line, pair.second});
      continue;
    }
    if (depth == kDeepest) return At(where, line, Concat("'", key, "' is nested deeper than ", kDeepest));
    KGYM_TRY_VOID(Flatten(pair.second, key + ".", where, depth + 1, entries));
  }
  return Ok();
}

Status SetFromNode(ConfigField& field, const YAML::Node& value) {
  if (value.IsScalar()) return internal::SetFromText(field, value.Scalar());
  if (value.IsNull())
    return Error{Concat(field.key, ": nothing found; ", internal::Expectation(field), " is expected")};
  std::vector<std::string> items;
  for (const YAML::Node& item : value) {
    if (!item.IsScalar()) return Error{Concat(field.key, ": a list of lists or maps found; plain items are expected")};
    items.push_back(item.Scalar());
  }
  return internal::SetFromList(field, items);
}

}  // namespace

Status ConfigFields::ParseYaml(std::string_view text, std::string_view where) {
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    if (root.IsNull()) return Ok();  // An empty file changes nothing.
    if (!root.IsMap()) return At(where, 1, "a map of keys to values is expected");
    std::vector<Entry> entries;
    KGYM_TRY_VOID(Flatten(root, "", where, 0, entries));
    std::set<std::string> seen;
    for (const Entry& entry : entries) {
      if (!seen.insert(entry.key).second) return At(where, entry.line, Concat("'", entry.key, "' is set twice"));
      ConfigField* const field = Find(entry.key);
      if (field == nullptr) return At(where, entry.line, Unknown(entry.key).message);
      const Status set = SetFromNode(*field, entry.value);
      if (!set.ok()) return At(where, entry.line, set.error().message);
    }
    return Ok();
  } catch (const YAML::Exception& failure) {
    return At(where, failure.mark.line + 1, failure.msg);
  }
}

Status ConfigFields::LoadYaml(const std::filesystem::path& file) {
  KGYM_TRY(const std::string text, ReadFile(file, std::size_t{1} << 20));
  return ParseYaml(text, file.string());
}

}  // namespace kgym
