// Running a workflow: each step as soon as what it names has ended, and one record a step.
//
// A step that fails ends those that need it as skipped, with the reason; the others go on. Fields of the output that
// rest on a step that did not end well are null.
//
// Threads: the executor that it runs on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/json.h"
#include "judge/outcome.h"
#include "judge/workflow/workflow.h"

namespace kgym::judge {

/// A file that a step left behind. The name was checked: a relative path that stays where it is put.
struct StepFile {
  std::string name;
  std::string bytes;
};

struct StepRecord {
  enum class State { kOk, kFailed, kSkipped };
  State state = State::kSkipped;
  std::optional<Outcome> outcome;  // Of a step that ran.
  std::string reason;              // One sentence; empty where it is ok.
  Json evidence = Json::object();
  Json output;                            // Null where it is not ok.
  std::optional<double> wall_ms, cpu_ms;  // By the judge's clock and the kernel's account.
  std::vector<StepFile> files;
  std::string log;  // What it printed, cut.

  Json ToJson() const;  // But for the files' bytes.
};

/// What runs a step; tests have one without processes.
class StepRunner {
 public:
  virtual ~StepRunner() = default;

  /// `step` outlives the call. A fault of the judge is a record of outcome kInfra.
  virtual Awaitable<StepRecord> Run(const Step& step, Json input) = 0;
};

struct WorkflowRun {
  std::vector<StepRecord> steps;  // As the workflow's.
  Json output = Json::object();

  /// kOk where every step that ran did; else the first failed step's, our own fault before others.
  Outcome outcome() const;
};

/// `input` has been completed. `workflow` and `runner` must outlive the call.
Awaitable<WorkflowRun> RunWorkflow(const Workflow& workflow, Json input, StepRunner& runner);

/// "kgym.workflow/1"; docs/extending.md says what its fields are.
Json ToJson(const Workflow& workflow, const WorkflowRun& run);

}  // namespace kgym::judge
