#include "apps/kgym/case_file.h"

#include <algorithm>

#include "apps/kgym/json_path.h"
#include "base/files.h"
#include "base/text.h"
#include "base/yaml_json.h"
#include "judge/outcome.h"

namespace kgym::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCaseLimit = std::size_t{64} << 10;
constexpr std::size_t kShown = 200;

Status CheckFields(const Json& yaml) {
  static const std::vector<std::string> kFields = {"problem", "submission", "backend", "devices", "config",
                                                   "expect",  "evidence",   "source",  "why"};
  if (!yaml.is_object()) return Error{"a map is expected"};
  for (const auto& [name, value] : yaml.items()) {
    if (std::ranges::find(kFields, name) == kFields.end())
      return Error{Concat("unknown field '", name, "'", DidYouMean(name, kFields))};
  }
  return Ok();
}

/// One text or a list of them.
Result<std::vector<std::string>> Texts(const Json& yaml, const char* field) {
  KGYM_TRY(const Json* value, GetField(yaml, field));
  const Json list = value->is_array() ? *value : Json::array({*value});
  std::vector<std::string> texts;
  for (const Json& item : list) {
    if (!item.is_string())
      return Error{Concat("field '", field, "': ", DumpJson(item), " found; text, or a list of it, is expected")};
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

Result<std::vector<std::string>> Outcomes(const Json& yaml) {
  KGYM_TRY(std::vector<std::string> expect, Texts(yaml, "expect"));
  std::vector<std::string> known;
  for (const judge::Outcome outcome : judge::AllOutcomes()) known.emplace_back(judge::ToString(outcome));
  for (const std::string& name : expect) {
    if (!judge::OutcomeFromString(name))
      return Error{Concat("field 'expect': no outcome '", name, "'", DidYouMean(name, known))};
  }
  if (expect.empty()) return Error{"field 'expect': an outcome is expected"};
  return expect;
}

Result<judge::Problem> ProblemOf(const Json& yaml, const fs::path& folder, ProblemFinder& finder) {
  KGYM_TRY(const std::string name, GetString(yaml, "problem"));
  if (!name.ends_with(".py")) return finder.Find(name);
  KGYM_TRY(judge::Problem problem, judge::ProblemFromFile((folder / name).lexically_normal()));
  problem.workload = "default";  // One that a case brings along runs as it is.
  return problem;
}

Result<Case> FromYaml(const Json& yaml, const fs::path& folder, ProblemFinder& finder) {
  KGYM_TRY_VOID(CheckFields(yaml));
  Case made;
  KGYM_TRY(made.expect, Outcomes(yaml));
  KGYM_TRY(made.devices, Texts(yaml, "devices"));
  KGYM_TRY(made.why, GetStringOr(yaml, "why", ""));
  for (auto [field, place] : {std::pair{"config", &made.config}, std::pair{"evidence", &made.evidence}}) {
    if (!yaml.contains(field)) continue;
    KGYM_TRY(const Json* value, GetObject(yaml, field));
    *place = *value;
  }
  KGYM_TRY(made.task.problem, ProblemOf(yaml, folder, finder));
  KGYM_TRY(const std::string submission, GetStringOr(yaml, "submission", "submission.py"));
  KGYM_TRY(const std::string backend, GetString(yaml, "backend"));
  KGYM_TRY(made.task.submission, ReadSubmission((folder / submission).lexically_normal(), backend, "ModelNew"));
  return made;
}

bool Same(const Json& expected, const Json& found) {
  if (expected.is_number() && found.is_number()) return expected.get<double>() == found.get<double>();
  return expected == found;
}

/// Whether `found` is what a matcher asks for: a value, {min, max}, or {contains: text}.
bool Matches(const Json& expected, const Json& found) {
  const bool matcher =
      expected.is_object() && (expected.contains("min") || expected.contains("max") || expected.contains("contains"));
  if (!matcher) return Same(expected, found);
  if (expected.contains("contains")) {
    const std::string text = found.is_string() ? found.get<std::string>() : DumpJson(found);
    return expected["contains"].is_string() && text.find(expected["contains"].get<std::string>()) != std::string::npos;
  }
  if (!found.is_number()) return false;
  const double value = found.get<double>();
  const bool low = !expected.contains("min") || (expected["min"].is_number() && value >= expected["min"].get<double>());
  const bool high =
      !expected.contains("max") || (expected["max"].is_number() && value <= expected["max"].get<double>());
  return low && high;
}

std::string Short(const Json& json) { return std::string(TruncateUtf8(DumpJson(json), kShown)); }

}  // namespace

bool Case::RunsOn(const std::string& device) const { return std::ranges::find(devices, device) != devices.end(); }

Result<Case> ReadCase(const fs::path& file, const fs::path& searched, ProblemFinder& finder) {
  KGYM_TRY(const std::string text, ReadFile(file, kCaseLimit));
  KGYM_TRY(const Json yaml, YamlToJson(text, file.string()));
  Result<Case> made = FromYaml(yaml, file.parent_path(), finder);
  if (!made.ok()) return Within(file.string(), made.error());
  made->name = file.parent_path().lexically_relative(searched).string();
  made->task.submission.name = made->name;
  return made;
}

std::vector<std::string> Differences(const Case& expected, const Json& verdict) {
  std::vector<std::string> differences;
  const Json& outcome = Lookup(verdict, "outcome");
  const bool known =
      outcome.is_string() && std::ranges::find(expected.expect, outcome.get<std::string>()) != expected.expect.end();
  if (!known)
    differences.push_back(Concat("expected ", Join(expected.expect, " or "), ", got ",
                                 outcome.is_string() ? outcome.get<std::string>() : "nothing"));
  for (const auto& [path, value] : expected.evidence.items()) {
    const Json& found = Lookup(verdict, path);
    if (!Matches(value, found))
      differences.push_back(Concat(path, ": expected ", Short(value), ", got ", Short(found)));
  }
  return differences;
}

}  // namespace kgym::app
