// What is judged and against what: a problem (a reference program in KernelBench form) and a submission.
//
// Both are texts with names; nothing of them runs here.
//
// Threads: any; plain values.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kgym::judge {

struct Problem {
  std::string name{};            // "level1/softmax", or a file's path.
  std::string path{};            // Where it was read, for messages; may be empty.
  std::string source{};          // Python.
  std::string workload = "cpu";  // A key of its WORKLOADS; problems without that key run at their own sizes.
  Json sizes = Json::object();   // Module globals to replace, beyond the workload's.

  /// Identity of all of the above but the path: what results may be cached under.
  std::string Hash() const;
};

struct Submission {
  std::string name{};
  std::string source{};
  std::string backend = "cpp";
  std::string entry = "ModelNew";

  std::string Hash() const;
};

/// At which size the problem checker looks at a problem: its own, or, where that is large, a smaller one.
enum class ExamineScale { kAsIs, kFitted };

/// What can be said of a submission without running it: bytes, UTF-8, size. Empty when it is sound; else a sentence.
std::string FormatFault(const Submission& submission);

}  // namespace kgym::judge
