// What can be asked of kgym on its command line: a plain struct a subcommand.
//
// Threads: any; plain values.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "apps/kgym/client_options.h"
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
  bool by_name = false;            // Names are passed on: a server looks them up.
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
  int again = 0;  // Times that a run that ended otherwise than expected is judged again.
  bool json = false;
};

struct ProblemsOptions {
  enum class Action { kList, kShow, kCheck };
  Action action = Action::kList;
  std::vector<std::string> names;
  ProblemSource source;
  ConfigSource config;
  std::string out;   // File for what was found, a line a problem; empty: none.
  int jobs = 1;      // Problems looked at at once.
  bool fit = false;  // Look at large problems with smaller sizes.
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

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 8700;  // 0: any free one.
  bool no_auth = false;
  std::string tokens;   // File; empty: one token, kept in `data`.
  std::string data;     // Folder; empty: $XDG_STATE_HOME/kgym or ~/.local/state/kgym.
  std::string queue;    // "redis://..."; empty: the embedded one, in `data`.
  std::string devices;  // "cuda:0,cuda:1"; empty: judge.device.
  std::string name;    // Of its worker, where servers share a queue; empty: one of its own (service/api/worker_name.h).
  std::string labels;  // "pool=a,owner=b": that each lane has besides its own.
  int slots = 0;       // Evaluations that a device is given at once; 0: as many as suit it.
  bool no_lanes = false;
  int fake_lanes = 0;
  std::string fake_hold = "50ms", fake_wedge = "0s";
  int max_queued = 200'000;
  int max_connections = 12'000;
  std::string keep_for = "168h";
  int keep_most = 1'000'000;
  int builds_mb = 4096;
  std::string drain = "30s";
  ProblemSource source;
  ConfigSource config;
  bool json = false;
};

struct WorkOptions {
  std::string join;     // "redis://..." or "http://...".
  std::string token;    // Of a server.
  std::string name;     // Empty: one of its own (service/api/worker_name.h).
  std::string devices;  // "cuda:0,cuda:1"; empty: judge.device.
  std::string labels;   // "pool=a,owner=b": that each lane has besides its own.
  int slots = 0;        // Evaluations that a device is given at once; 0: as many as suit it.
  bool build_only = false;
  std::string build_arch;  // "90"; empty: CPU lanes.
  int fake_lanes = 0;
  std::string fake_hold = "50ms", fake_wedge = "0s";
  std::string lease = "30s";
  std::string drain = "30s";
  ConfigSource config;
  bool json = false;
};

struct WorkflowOptions {
  enum class Action { kList, kCheck, kRun };
  Action action = Action::kList;
  std::vector<std::string> names;   // Of the folder's workflows, or files.
  std::string input;                // JSON file; empty: none.
  std::vector<std::string> fields;  // "seed=7", "submission=@leapfrog.py".
  std::string artefacts;            // Folder for the steps' files; empty: they are dropped.
  std::string root;                 // Of the built-in suite, for steps that evaluate.
  ConfigSource config;
  bool json = false;
};

struct ShowConfigOptions {
  ConfigSource config;
  bool yaml = false;
};

using Command = std::variant<EvalOptions, CasesOptions, ProblemsOptions, ReplayOptions, DoctorOptions, ServeOptions,
                             WorkOptions, ShowConfigOptions, SubmitOptions, StatusOptions, WaitOptions, CancelOptions,
                             TopOptions, WorkflowOptions>;

}  // namespace kgym::app
