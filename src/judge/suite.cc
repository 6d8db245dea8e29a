#include "judge/suite.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "base/files.h"
#include "base/text.h"

namespace kgym::judge {
namespace {

namespace fs = std::filesystem;

bool HasLevels(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "level1", error) || fs::is_directory(folder / "level2", error) ||
         fs::is_directory(folder / "level3", error);
}

std::string UsualName(SuiteKind kind) { return kind == SuiteKind::kBuiltIn ? "problems" : "KernelBench"; }

/// The folder of the built-in suite beside the working folder, or beside the binary and up to three folders above it.
std::optional<fs::path> BuiltInFolder() {
  std::error_code error;
  std::vector<fs::path> bases = {fs::current_path(error)};
  fs::path above = fs::read_symlink("/proc/self/exe", error);
  for (int i = 0; i < 4; ++i) bases.push_back(above = above.parent_path());
  for (const fs::path& base : bases) {
    if (HasLevels(base / "problems")) return base / "problems";
  }
  return std::nullopt;
}

/// The number that a text starts with, or -1.
int LeadingNumber(std::string_view text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string_view Stem(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  if (name.ends_with(".py")) name.remove_suffix(3);
  return name;
}

/// (level's folder, number in front of the title, name): how a KernelBench listing is read.
std::pair<std::string_view, int> OrderOf(std::string_view name) {
  return {name.substr(0, name.find('/')), LeadingNumber(Stem(name))};
}

/// "level1/19" for "1:19", "1/19" and "level1/19"; ".py" at the end falls away.
std::string Normal(std::string_view name) {
  std::string normal(name);
  if (const std::size_t colon = normal.find(':'); colon != std::string::npos) normal[colon] = '/';
  if (!normal.empty() && std::isdigit(static_cast<unsigned char>(normal[0]))) normal = "level" + normal;
  if (normal.ends_with(".py")) normal.resize(normal.size() - 3);
  return normal;
}

Result<Problem> ReadProblem(std::string name, const fs::path& path) {
  KGYM_TRY(std::string source, ReadFile(path));
  if (!IsUtf8(source)) return Error{path.string() + ": it is not UTF-8; a problem is Python text in UTF-8"};
  Problem problem;
  problem.name = std::move(name);
  problem.path = path.string();
  problem.source = std::move(source);
  return problem;
}

}  // namespace

Result<Suite> Suite::Open(SuiteKind kind, const fs::path& root) {
  std::optional<fs::path> folder;
  if (root.empty() && kind == SuiteKind::kBuiltIn) folder = BuiltInFolder();
  for (const fs::path& candidate : {root, root / UsualName(kind)}) {
    if (!folder && !root.empty() && HasLevels(candidate)) folder = candidate;
  }
  if (!folder && root.empty() && kind == SuiteKind::kKernelBench) {
    return Error{"suite kernelbench: no folder is named; give the checkout with --root DIR"};
  }
  if (!folder && root.empty()) {
    return Error{"no folder `problems` beside the working folder or the binary; give it with --root DIR"};
  }
  if (!folder) return Error{Concat("--root '", root.string(), "': no folder level1, level2 or level3 in it")};
  Suite suite(kind, *folder);
  KGYM_TRY_VOID(suite.List());
  return suite;
}

Status Suite::List() {
  KGYM_TRY(const std::vector<fs::path> files, ListFiles(folder_, ".py"));
  for (const fs::path& file : files) {
    std::string name = file.lexically_relative(folder_).string();
    const bool level = name.starts_with("level") && std::ranges::count(name, '/') == 1;
    if (!level) continue;
    if (kind_ == SuiteKind::kBuiltIn) name.resize(name.size() - 3);
    names_.push_back(std::move(name));
  }
  std::ranges::stable_sort(names_, {}, OrderOf);
  return Ok();
}

const std::string* Suite::Find(std::string_view name) const {
  const std::string normal = Normal(name);
  for (const std::string& known : names_) {
    if (Normal(known) == normal) return &known;
  }
  if (kind_ == SuiteKind::kBuiltIn) return nullptr;
  for (const std::string& known : names_) {
    const std::string prefix = Normal(known).substr(0, normal.size() + 1);
    if (prefix == normal + "_") return &known;  // "level1/19" of "level1/19_ReLU".
  }
  return nullptr;
}

Result<Problem> Suite::Load(std::string_view name) const {
  if (const std::string* known = Find(name)) {
    return ReadProblem(*known, folder_ / (known->ends_with(".py") ? *known : *known + ".py"));
  }
  std::string hint = DidYouMean(name, names_);
  for (const std::string& known : names_) {
    if (hint.empty() && Stem(known) == Stem(name)) hint = Concat(" (did you mean '", known, "'?)");
  }
  return Error{Concat("no problem '", name, "' in ", folder_.string(), hint, "; `kgym problems list` shows all")};
}

Result<Problem> ProblemFromFile(const fs::path& path) { return ReadProblem(path.string(), path); }

ProblemOutline OutlineOf(std::string_view source) {
  ProblemOutline outline;
  if (const std::string_view text = Trim(source); text.starts_with("\"\"\"")) {
    const std::string_view rest = text.substr(3);
    outline.sentence = std::string(Trim(rest.substr(0, std::min(rest.find("\"\"\""), rest.find('\n')))));
  }
  const std::size_t start = source.find("\nWORKLOADS");
  if (start == std::string_view::npos) return outline;
  int depth = 0;
  for (std::size_t i = source.find('{', start); i < source.size(); ++i) {
    const char c = source[i];
    if (c == '{' || c == '[' || c == '(') ++depth;
    if ((c == '}' || c == ']' || c == ')') && --depth == 0) break;
    if (c != '"' && c != '\'') continue;
    const std::size_t end = source.find(c, i + 1);
    if (end == std::string_view::npos) break;
    if (depth == 1) outline.workloads.emplace_back(source.substr(i + 1, end - i - 1));
    i = end;
  }
  return outline;
}

}  // namespace kgym::judge
