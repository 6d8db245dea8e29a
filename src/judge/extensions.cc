#include "judge/extensions.h"

#include <algorithm>

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/yaml_json.h"
#include "judge/backend_declaration.h"
#include "judge/workflow/value_type.h"

namespace kgym::judge {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFileBytes = std::size_t{1} << 20;

/// The files right below `folder` that end so, by name; none where there is no such folder.
Result<std::vector<Extensions::File>> ReadFolder(const fs::path& folder, std::string_view ending, Sha256& hash) {
  std::vector<Extensions::File> files;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return files;
  KGYM_TRY(const std::vector<fs::path> paths, ListFiles(folder, ending));
  for (const fs::path& path : paths) {
    if (path.parent_path() != folder) continue;
    Extensions::File file{path.stem().string(), path.string(), {}, {}};
    if (!IsPlainName(file.name))
      return Error{Concat(file.path, ": the name '", file.name,
                          "'; small letters, digits and underscores are expected, a letter first")};
    KGYM_TRY(file.text, ReadFile(path, kMostFileBytes));
    hash.Field(folder.filename().string()).Field(file.name).Field(file.text);
    if (ending == ".yaml") {
      KGYM_TRY(file.json, YamlToJson(file.text, file.path));
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

Result<Extensions> Extensions::Read(const fs::path& folder) {
  Extensions extensions;
  if (folder.empty()) return extensions;
  std::error_code error;
  const auto there = [&](const char* name) { return fs::is_directory(folder / name, error); };
  if (!there("backends") && !there("toolkits") && !there("workflows")) {
    return Error{Concat("config: judge.extensions is '", folder.string(),
                        "'; a folder that holds backends, toolkits or workflows is expected")};
  }
  Sha256 hash;
  KGYM_TRY(const std::vector<File> backends, ReadFolder(folder / "backends", ".yaml", hash));
  for (const File& file : backends) {
    KGYM_TRY(Json declaration, ReadBackendDeclaration(file.json, file.path, file.name));
    hash.Field(DumpJson(declaration));
    extensions.backends.push_back(std::move(declaration));
  }
  KGYM_TRY(extensions.toolkits, ReadFolder(folder / "toolkits", ".py", hash));
  KGYM_TRY(extensions.workflows, ReadFolder(folder / "workflows", ".yaml", hash));
  for (const File& file : extensions.workflows) {
    if (const Json name = file.json.is_object() ? file.json.value("name", Json()) : Json(); name != file.name)
      return Error{
          Concat(file.path, ": name: ", DumpJson(name), " found; the file's own, '", file.name, "', is expected")};
  }
  extensions.hash = hash.FinishHex();
  return extensions;
}

Result<Extensions::File> ReadWorkflowFile(const fs::path& path) {
  Extensions::File file{path.stem().string(), path.string(), {}, {}};
  KGYM_TRY(file.text, ReadFile(path, kMostFileBytes));
  KGYM_TRY(file.json, YamlToJson(file.text, file.path));
  return file;
}

}  // namespace kgym::judge
