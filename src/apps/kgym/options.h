// What can be asked of kgym on its command line: a plain struct a subcommand.
//
// Threads: any; plain values.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "judge/suite.h"

namespace kgym::app {

/// Where the judge's configuration comes from; later ones win: the file, then each `key=value`.
struct ConfigSource {
  std::string file;
  std::vector<std::string> set;
};

/// Which problem is meant by a name, and at which scale.
struct ProblemSource {
  judge::SuiteKind suite = judge::SuiteKind::kBuiltIn;
  std::string root;
  std::string workload;            // Empty: "cpu" on a CPU, "gpu" on a GPU; chosen when the command line was read.
  std::vector<std::string> sizes;  // "rows=512".
};

struct EvalOptions {
  std::string problem;  // Or, where `submission` is empty, a folder of submissions or a JSONL file.
  std::string submission;
  std::string backend = "cpp";
  std::string entry = "ModelNew";
  ProblemSource source;
  ConfigSource config;
  std::string keep;  // Folder for bundles; empty: none are kept.
  std::string out;   // File for the verdicts of many rows; empty: none.
  int jobs = 0;      // Evaluations at once; 0: as many as suit the device.
  int limit = 0;     // Rows at most; 0: all.
  bool json = false;
};

struct CasesOptions {
  std::string folder;
  std::string filter;
  std::string out;
  ProblemSource source;
  ConfigSource config;
  int jobs = 0;  // Evaluations at once; 0: as many as suit the device.
  int repeat = 1;
  bool json = false;
};

struct ProblemsOptions {
  enum class Action { kList, kShow, kCheck };
  Action action = Action::kList;
  std::vector<std::string> names;
  ProblemSource source;
  ConfigSource config;
  bool json = false;
};

struct ReplayOptions {
  std::string bundle;
  ConfigSource config;
  bool json = false;
};

struct DoctorOptions {
  ConfigSource config;
  bool json = false;
};

struct ShowConfigOptions {
  ConfigSource config;
  bool yaml = false;
};

using Command =
    std::variant<EvalOptions, CasesOptions, ProblemsOptions, ReplayOptions, DoctorOptions, ShowConfigOptions>;

}  // namespace kgym::app
