// Problem suites: folders of problems, found by name.
//
// The built-in suite names a problem "level1/softmax". A KernelBench checkout has files "level1/19_ReLU.py"; there
// "1/19", "1:19" and "level1/19_ReLU" name the same problem. A file of its own, outside any suite, is read by
// ProblemFromFile.
//
// Threads: any. Reads small files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "judge/problem.h"

namespace kgym::judge {

enum class SuiteKind { kBuiltIn, kKernelBench };

class Suite {
 public:
  /// `root`: the folder that holds level1, level2, ..., or one that holds that folder under its usual name ("problems",
  /// "KernelBench"). Empty means, for the built-in suite, `problems` beside the working folder or the binary.
  static Result<Suite> Open(SuiteKind kind, const std::filesystem::path& root = {});

  /// By level, then by number or name.
  const std::vector<std::string>& names() const { return names_; }

  /// An error names what is nearest to `name`.
  Result<Problem> Load(std::string_view name) const;

 private:
  Suite(SuiteKind kind, std::filesystem::path folder) : kind_(kind), folder_(std::move(folder)) {}
  Status List();
  const std::string* Find(std::string_view name) const;

  SuiteKind kind_;
  std::filesystem::path folder_;
  std::vector<std::string> names_;
};

/// A problem outside any suite; its name is the path as given.
Result<Problem> ProblemFromFile(const std::filesystem::path& path);

/// What a listing shows of a problem, read from its text alone.
struct ProblemOutline {
  std::string sentence;                // First line of its docstring.
  std::vector<std::string> workloads;  // Keys of WORKLOADS.
};
ProblemOutline OutlineOf(std::string_view source);

}  // namespace kgym::judge
