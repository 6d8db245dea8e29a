#include "apps/kgym/input.h"

#include "base/config.h"
#include "base/files.h"
#include "base/text.h"

namespace kgym::app {
namespace {

bool IsFile(const std::string& name) {
  std::error_code error;
  return std::filesystem::is_regular_file(name, error);
}

}  // namespace

Result<const judge::Suite*> ProblemFinder::Opened() {
  if (!suite_) {
    KGYM_TRY(judge::Suite suite, judge::Suite::Open(source_.suite, source_.root));
    suite_ = std::move(suite);
  }
  return &*suite_;
}

Result<judge::Problem> ProblemFinder::Find(const std::string& name) {
  judge::Problem problem;
  const bool path = name.starts_with("/") || name.starts_with("./") || name.starts_with("../");
  const bool in_suite = source_.suite == judge::SuiteKind::kKernelBench && !path;
  if (name.ends_with(".py") && !in_suite && (path || source_.by_name || IsFile(name))) {
    KGYM_TRY(problem, judge::ProblemFromFile(name));
  } else if (source_.by_name) {
    problem.name = name;
  } else {
    KGYM_TRY(const judge::Suite* suite, Opened());
    KGYM_TRY(problem, suite->Load(name));
  }
  KGYM_TRY(problem.sizes, ReadSizes(source_.sizes));
  problem.workload = source_.workload;
  return problem;
}

Result<Json> ReadSizes(const std::vector<std::string>& assignments) {
  Json sizes = Json::object();
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    const Result<Json> value = ParseJson(equals == std::string::npos ? "" : assignment.substr(equals + 1));
    const bool fits = equals > 0 && value.ok() && (value->is_number() || value->is_boolean());
    if (!fits)
      return Error{
          Concat("--size '", assignment, "'; NAME=VALUE with a number, true or false is expected, such as rows=512")};
    sizes[assignment.substr(0, equals)] = *value;
  }
  return sizes;
}

Status CheckSizes(const Json& sizes) {
  for (const auto& [name, value] : sizes.items()) {
    if (value.is_number() || value.is_boolean()) continue;
    return Error{Concat("field 'sizes.", name, "': ", DumpJson(value).substr(0, 80),
                        " found; a number, true or false is expected")};
  }
  return Ok();
}

Result<judge::Submission> ReadSubmission(const std::filesystem::path& path, std::string backend, std::string entry) {
  judge::Submission submission;
  KGYM_TRY(submission.source, ReadFile(path));
  submission.name = path.string();
  submission.backend = std::move(backend);
  submission.entry = std::move(entry);
  return submission;
}

Status CheckBackend(const judge::Judge& judge, const std::string& backend) {
  std::vector<std::string> known;
  for (const auto& [name, facts] : judge.backends().items()) known.push_back(name);
  if (!judge.backends().contains(backend)) {
    return Error{Concat("unknown backend '", backend, "'", DidYouMean(backend, known), "; known: ", Join(known, ", "))};
  }
  const Json& facts = judge.backends()[backend];
  const Json missing = facts.value("missing", Json::array());
  if (!facts.value("runs", true)) return Error{Concat("backend '", backend, "' does not run on this device")};
  if (!missing.empty()) {
    return Error{Concat("backend '", backend, "' needs ", DumpJson(missing),
                        ", which the judge's Python lacks; `kgym doctor` says more")};
  }
  return Ok();
}

Result<judge::JudgeConfig> WithChanges(judge::JudgeConfig config, const Json& changes, std::string_view where) {
  ConfigFields fields(config);
  KGYM_TRY_VOID(fields.ParseYaml(DumpJson(changes), where));  // JSON is YAML.
  if (const std::string fault = config.Fault(); !fault.empty()) return Error{Concat(where, ": ", fault)};
  return config;
}

Json ConfigJson(judge::JudgeConfig config) { return ConfigFields(config).ToJson(); }

}  // namespace kgym::app
