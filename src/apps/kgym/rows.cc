#include "apps/kgym/rows.h"

#include <algorithm>
#include <array>

#include "base/files.h"
#include "base/text.h"

namespace kgym::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRowsLimit = std::size_t{1} << 30;

/// The backend that a source's first line names ("# backend: triton"), or `otherwise`.
std::string BackendOf(std::string_view source, const std::string& otherwise) {
  std::string_view line = Trim(source.substr(0, source.find('\n')));
  if (!line.starts_with("#")) return otherwise;
  line = Trim(line.substr(1));
  return line.starts_with("backend:") ? std::string(Trim(line.substr(8))) : otherwise;
}

Result<Task> TaskOfFile(const fs::path& file, const EvalOptions& options, ProblemFinder& finder) {
  const std::string stem = file.stem().string();
  const std::size_t first = stem.find("__");
  const std::size_t second = first == std::string::npos ? first : stem.find("__", first + 2);
  if (second == std::string::npos) {
    return Error{
        Concat(file.string(), ": a name <level>__<problem>__<what>.py is expected, such as level1__softmax__mine.py")};
  }
  const std::string problem = stem.substr(0, first) + "/" + stem.substr(first + 2, second - first - 2);
  Task task;
  Result<judge::Problem> found = finder.Find(problem);
  if (!found.ok()) return Within(file.string(), found.error());
  task.problem = std::move(*found);
  KGYM_TRY(task.submission, ReadSubmission(file, options.backend, options.entry));
  task.submission.backend = BackendOf(task.submission.source, options.backend);
  return task;
}

Result<std::vector<Row>> RowsOfFolder(const fs::path& folder, const EvalOptions& options) {
  KGYM_TRY(const std::vector<fs::path> files, ListFiles(folder, ".py"));
  if (files.empty())
    return Error{Concat(folder.string(), ": no submission in it; files <level>__<problem>__<what>.py are expected")};
  ProblemFinder finder(options.source);
  std::vector<Row> rows;
  for (const fs::path& file : files) {
    Row row{file.stem().string(), static_cast<int>(rows.size()) + 1, Error{}};
    Result<Task> task = TaskOfFile(file, options, finder);
    if (task.ok()) {
      row.content = std::move(*task);
    } else {
      row.content = task.error();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// An error where a field's name is almost one that is known: ignoring it would judge something else than was meant.
Status CheckNames(const Json& json) {
  static const std::vector<std::string> kKnown = {
      "id", "problem", "problem_source", "submission", "submission_path", "backend", "entry", "workload", "sizes"};
  for (const auto& [name, value] : json.items()) {
    if (std::ranges::find(kKnown, name) != kKnown.end()) continue;
    const std::string hint = DidYouMean(name, kKnown);
    if (!hint.empty()) return Error{Concat("unknown field '", name, "'", hint)};
  }
  return Ok();
}

/// The two fields of which exactly one is expected: whether it is the first.
Result<bool> FirstOf(const Json& json, const char* first, const char* second) {
  const bool has_first = json.contains(first), has_second = json.contains(second);
  if (has_first != has_second) return has_first;
  return Error{
      Concat("field '", first, "' or '", second, "': ", has_first ? "both are" : "none is", " there; one is expected")};
}

Result<judge::Problem> ProblemOf(const Json& json, const std::string& id, ProblemFinder& finder) {
  judge::Problem problem;
  KGYM_TRY(const bool named, FirstOf(json, "problem", "problem_source"));
  if (named) {
    KGYM_TRY(const std::string name, GetString(json, "problem"));
    Result<judge::Problem> found = finder.Find(name);
    if (!found.ok()) return Within("field 'problem'", found.error());
    problem = std::move(*found);
  } else {
    KGYM_TRY(problem.source, GetString(json, "problem_source"));
    KGYM_TRY(problem.sizes, ReadSizes(finder.source().sizes));
    problem.name = id;
  }
  KGYM_TRY(problem.workload, GetStringOr(json, "workload", finder.source().workload));
  if (!json.contains("sizes")) return problem;
  KGYM_TRY(const Json* sizes, GetObject(json, "sizes"));
  KGYM_TRY_VOID(CheckSizes(*sizes));
  problem.sizes = *sizes;
  return problem;
}

Result<Task> TaskOfJson(const Json& json, const std::string& id, const fs::path& folder, const EvalOptions& options,
                        ProblemFinder& finder) {
  KGYM_TRY_VOID(CheckNames(json));
  Task task;
  KGYM_TRY(task.problem, ProblemOf(json, id, finder));
  judge::Submission& submission = task.submission;
  KGYM_TRY(submission.backend, GetStringOr(json, "backend", options.backend));
  KGYM_TRY(submission.entry, GetStringOr(json, "entry", options.entry));
  KGYM_TRY(const bool here, FirstOf(json, "submission", "submission_path"));
  if (here) {
    KGYM_TRY(submission.source, GetString(json, "submission"));
  } else {
    KGYM_TRY(const std::string path, GetString(json, "submission_path"));
    Result<std::string> source = ReadFile(folder / path);
    if (!source.ok()) return Within("field 'submission_path'", source.error());
    submission.source = std::move(*source);
  }
  submission.name = id;
  return task;
}

Row RowOfLine(std::string_view line, int number, const fs::path& file, const EvalOptions& options,
              ProblemFinder& finder) {
  const std::string where = Concat(file.string(), ":", number);
  Row row{where, number, Error{}};
  const Result<Json> json = ParseJson(line, "json");
  if (!json.ok() || !json->is_object()) {
    row.content = Error{Concat(where, ": ", json.ok() ? "an object a line is expected" : json.error().message)};
    return row;
  }
  if (json->contains("id"))
    row.id = (*json)["id"].is_string() ? (*json)["id"].get<std::string>() : DumpJson((*json)["id"]);
  Result<Task> task = TaskOfJson(*json, row.id, file.parent_path(), options, finder);
  if (task.ok()) {
    row.content = std::move(*task);
  } else {
    row.content = Within(where, task.error());
  }
  return row;
}

Result<std::vector<Row>> RowsOfJsonl(const fs::path& file, const EvalOptions& options) {
  KGYM_TRY(const std::string text, ReadFile(file, kRowsLimit));
  ProblemFinder finder(options.source);
  std::vector<Row> rows;
  int number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = std::string_view(text).substr(start, end - start);
    start = end + 1;
    ++number;
    if (!Trim(line).empty()) rows.push_back(RowOfLine(line, number, file, options, finder));
  }
  if (rows.empty()) return Error{file.string() + ": no row in it; a JSON object a line is expected"};
  return rows;
}

}  // namespace

bool IsRows(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) || path.extension() == ".jsonl";
}

Result<std::vector<Row>> ReadRows(const fs::path& path, const EvalOptions& options) {
  std::error_code error;
  KGYM_TRY(std::vector<Row> rows,
           fs::is_directory(path, error) ? RowsOfFolder(path, options) : RowsOfJsonl(path, options));
  if (options.limit > 0 && rows.size() > static_cast<std::size_t>(options.limit))
    rows.resize(static_cast<std::size_t>(options.limit));
  return rows;
}

}  // namespace kgym::app
