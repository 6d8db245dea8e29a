#include "judge/backend_declaration.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace kgym::judge {
namespace {

constexpr std::size_t kMostAdapterBytes = std::size_t{1} << 20;
constexpr double kMostTimeScale = 1000;

const std::vector<std::string>& Keys() {
  static const std::vector<std::string> keys = {"name",     "description", "devices",    "speed_on", "needs_build",
                                                "packages", "tools",       "time_scale", "kernels",  "adapter"};
  return keys;
}

Error Wrong(const std::string& path, std::string_view key, const Json& found, std::string_view expected) {
  return Error{Concat(path, ": ", key, ": ", DumpJson(found).substr(0, 80), " found; ", expected, " is expected")};
}

bool IsDevice(const Json& device) { return device == "cpu" || device == "cuda"; }

bool IsWord(const Json& word) { return word.is_string() && !word.get_ref<const std::string&>().empty(); }

using Fits = bool (*)(const Json&);

/// A list whose items fit, `otherwise` where the key is absent.
Result<Json> ReadList(const Json& said, const std::string& path, const char* key, Fits fits, const char* expected,
                      Json otherwise) {
  Json list = said.value(key, std::move(otherwise));
  if (!list.is_array() || !std::ranges::all_of(list, fits)) return Wrong(path, key, list, expected);
  return list;
}

bool IsKernelClass(const Json& row) {
  if (!row.is_object() || !row.contains("module") || !row.contains("class")) return false;
  for (const auto& [key, value] : row.items()) {
    if ((key != "module" && key != "class" && key != "call") || !IsWord(value)) return false;
  }
  return true;
}

Result<Json> ReadTimeScale(const Json& said, const std::string& path) {
  Json scales = said.value("time_scale", Json::object());
  const char* expected = "a map of cpu or cuda to a number from 1 to 1000";
  if (!scales.is_object()) return Wrong(path, "time_scale", scales, expected);
  for (const auto& [device, scale] : scales.items()) {
    const bool fits = scale.is_number() && scale.get<double>() >= 1 && scale.get<double>() <= kMostTimeScale;
    if (!IsDevice(device) || !fits) return Wrong(path, "time_scale", scales, expected);
  }
  return scales;
}

Result<Json> ReadAdapter(const Json& said, const std::string& path) {
  if (!said.contains("adapter")) return Json(nullptr);
  const Json& name = said["adapter"];
  const bool plain = IsWord(name) && name.get_ref<const std::string&>().find('/') == std::string::npos;
  if (!plain) return Wrong(path, "adapter", name, "the name of a Python file beside the declaration");
  const std::filesystem::path file = std::filesystem::path(path).parent_path() / name.get<std::string>();
  Result<std::string> source = ReadFile(file, kMostAdapterBytes);
  if (!source.ok()) return Error{Concat(path, ": adapter: ", source.error().message)};
  return Json{{"path", file.string()}, {"source", std::move(*source)}};
}

}  // namespace

Result<Json> ReadBackendDeclaration(const Json& said, const std::string& path, const std::string& name) {
  if (!said.is_object()) return Error{path + ": a map with name and devices is expected"};
  for (const auto& [key, value] : said.items()) {
    if (std::ranges::find(Keys(), key) == Keys().end())
      return Error{Concat(path, ": unknown key '", key, "'", DidYouMean(key, Keys()), "; known: ", Join(Keys(), ", "))};
  }
  if (said.value("name", Json()) != name)
    return Wrong(path, "name", said.value("name", Json()), Concat("the file's own, '", name, "',"));
  const Json description = said.value("description", Json(""));
  if (!description.is_string()) return Wrong(path, "description", description, "a sentence");
  const Json needs_build = said.value("needs_build", Json(false));
  if (!needs_build.is_boolean()) return Wrong(path, "needs_build", needs_build, "true or false");
  KGYM_TRY(const Json devices, ReadList(said, path, "devices", IsDevice, "a list of cpu and cuda", Json::array()));
  if (devices.empty()) return Wrong(path, "devices", devices, "a list of cpu and cuda");
  KGYM_TRY(const Json speed_on, ReadList(said, path, "speed_on", IsDevice, "a list of cpu and cuda", devices));
  KGYM_TRY(const Json packages, ReadList(said, path, "packages", IsWord, "a list of Python modules", Json::array()));
  KGYM_TRY(const Json tools, ReadList(said, path, "tools", IsWord, "a list of programs", Json::array()));
  KGYM_TRY(const Json kernels,
           ReadList(said, path, "kernels", IsKernelClass, "a list of {module, class, call} with texts", Json::array()));
  KGYM_TRY(const Json time_scale, ReadTimeScale(said, path));
  KGYM_TRY(const Json adapter, ReadAdapter(said, path));
  return Json{{"name", name},         {"path", path},       {"description", description}, {"devices", devices},
              {"speed_on", speed_on}, {"tools", tools},     {"needs_build", needs_build}, {"packages", packages},
              {"kernels", kernels},   {"adapter", adapter}, {"time_scale", time_scale}};
}

}  // namespace kgym::judge
