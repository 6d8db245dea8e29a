// From what was named on the command line to what is judged: problems by name or file, submissions, configurations.
//
// Threads: main. Reads files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "apps/kgym/options.h"
#include "base/result.h"
#include "judge/judge.h"
#include "judge/problem.h"
#include "judge/suite.h"

namespace kgym::app {

/// One evaluation that was asked for.
struct Task {
  judge::Problem problem;
  judge::Submission submission;
};

/// Finds problems by the names that a person gives them. The suite is opened when it is first needed.
class ProblemFinder {
 public:
  explicit ProblemFinder(ProblemSource source) : source_(std::move(source)) {}

  /// A path that ends in .py, or a name of the suite; at the source's workload and sizes. Only a name, without a
  /// source, where the source is `by_name`.
  Result<judge::Problem> Find(const std::string& name);

  Result<const judge::Suite*> Opened();
  const ProblemSource& source() const { return source_; }

 private:
  ProblemSource source_;
  std::optional<judge::Suite> suite_;
};

/// {"rows": 512} of "rows=512"; a value is a number, true or false.
Result<Json> ReadSizes(const std::vector<std::string>& assignments);
Status CheckSizes(const Json& sizes);

Result<judge::Submission> ReadSubmission(const std::filesystem::path& path, std::string backend, std::string entry);

/// An error where the judge does not know the backend, or cannot run it here.
Status CheckBackend(const judge::Judge& judge, const std::string& backend);

/// The configuration with one change laid over it: nested, or by dotted keys. `where` begins an error.
Result<judge::JudgeConfig> WithChanges(judge::JudgeConfig config, const Json& changes, std::string_view where);
Json ConfigJson(judge::JudgeConfig config);

}  // namespace kgym::app
