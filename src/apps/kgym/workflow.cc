// kgym workflow list, check, run: the workflows of `judge.extensions`, or of a file.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/progress.h"
#include "apps/kgym/run.h"
#include "apps/kgym/table.h"
#include "apps/kgym/workflow_input.h"
#include "apps/kgym/workflow_text.h"
#include "base/files.h"
#include "base/text.h"
#include "judge/extensions.h"
#include "judge/workflow/judge_steps.h"

namespace kgym::app {
namespace {

namespace fs = std::filesystem;

bool IsFile(const std::string& name) { return name.ends_with(".yaml") || name.ends_with(".yml"); }

/// Where nothing is said and a file lies in EXTENSIONS/workflows, that is the folder meant.
Result<judge::JudgeConfig> ConfigFor(const WorkflowOptions& options) {
  KGYM_TRY(judge::JudgeConfig config, LoadConfig(options.config));
  std::error_code error;
  for (const std::string& name : options.names) {
    if (!config.extensions.empty() || !IsFile(name)) continue;
    const fs::path folder = fs::absolute(name, error).parent_path();
    if (folder.filename() == "workflows") config.extensions = folder.parent_path().string();
  }
  KGYM_TRY_VOID(judge::Extensions::Read(config.extensions));
  return config;
}

Result<judge::Workflow> Find(judge::Judge& judge, const std::string& name) {
  if (IsFile(name)) {
    KGYM_TRY(const judge::Extensions::File file, judge::ReadWorkflowFile(name));
    return judge.toolbox().Read(file);
  }
  std::vector<std::string> names;
  for (const judge::Workflow& workflow : judge.toolbox().workflows()) {
    if (workflow.name == name) return workflow;
    names.push_back(workflow.name);
  }
  if (names.empty())
    return Error{Concat("no workflow '", name, "': there is none; --set judge.extensions=DIR names their folder")};
  return Error{Concat("no workflow '", name, "'", DidYouMean(name, names), "; there are ", Join(names, ", "))};
}

Status KeepFiles(const std::string& folder, const judge::Workflow& workflow, const judge::WorkflowRun& run) {
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    for (const judge::StepFile& file : run.steps[i].files) {
      const fs::path path = fs::path(folder) / workflow.steps[i].name / file.name;
      KGYM_TRY_VOID(MakeFolders(path.parent_path()));
      KGYM_TRY_VOID(WriteFileAtomic(path, file.bytes));
    }
  }
  return Ok();
}

int List(const WorkflowOptions& options, const judge::JudgeConfig& config) {
  const Result<judge::Extensions> extensions = judge::Extensions::Read(config.extensions);
  if (!extensions.ok()) return Complain(extensions.error().message, options.json), kBadInput;
  Table table({{"workflow"}, {"input", Table::Align::kLeft, 60}, {"what it does", Table::Align::kLeft, 90}});
  for (const judge::Extensions::File& file : extensions->workflows) {
    const Json input = file.json.value("input", Json::object());
    const Json description = file.json.value("description", Json(""));
    if (options.json)
      PrintJson({{"name", file.name}, {"description", description}, {"input", input}, {"path", file.path}});
    std::vector<std::string> names;
    for (const auto& [name, type] : input.items()) names.push_back(name);
    table.Add({{file.name}, {Join(names, ", ")}, {description.is_string() ? description.get<std::string>() : ""}});
  }
  if (options.json) return kFine;
  if (config.extensions.empty())
    return Print("no workflows: judge.extensions names no folder (docs/extending.md)\n"), kFine;
  return Print(table.Text(ColourWanted(STDOUT_FILENO)) + Concat("\n", extensions->workflows.size(), " workflows\n")),
         kFine;
}

/// Those that are named, or all.
int Check(const WorkflowOptions& options, judge::Judge& judge) {
  std::vector<std::string> names = options.names;
  if (names.empty()) {
    for (const judge::Workflow& workflow : judge.toolbox().workflows()) names.push_back(workflow.name);
  }
  int code = kFine;
  for (const std::string& name : names) {
    const Result<judge::Workflow> workflow = Find(judge, name);
    if (!workflow.ok()) {
      Complain(workflow.error().message, options.json);
      code = kBadInput;
    } else if (options.json) {
      PrintJson(GraphJson(*workflow));
    } else {
      Print(GraphText(*workflow));
    }
  }
  return code;
}

Awaitable<int> RunOne(const WorkflowOptions& options, judge::Judge& judge, Progress& progress) {
  const Result<judge::Workflow> workflow = Find(judge, options.names.front());
  if (!workflow.ok()) co_return Complain(workflow.error().message, options.json), kBadInput;
  Result<Json> input = ReadWorkflowInput(workflow->name, workflow->input, options.input, options.fields);
  if (!input.ok()) co_return Complain(input.error().message, options.json), kBadInput;
  progress.Stage(Concat("running ", workflow->name, " ..."));
  judge::JudgeSteps steps(judge, options.root);
  const judge::WorkflowRun run = co_await judge::RunWorkflow(*workflow, std::move(*input), steps);
  progress.Clear();
  if (!options.artefacts.empty()) {
    const Status kept = KeepFiles(options.artefacts, *workflow, run);
    if (!kept.ok()) co_return Complain("--artefacts: " + kept.error().message, options.json), kBadInput;
  }
  Json report = judge::ToJson(*workflow, run);
  report["provenance"] = judge.provenance();
  if (options.json) {
    PrintJson(report);
  } else {
    Print(RunText(report, ColourWanted(STDOUT_FILENO)));
  }
  co_return ExitCodeOf(run.outcome());
}

}  // namespace

int Run(const WorkflowOptions& options) {
  const Result<judge::JudgeConfig> config = ConfigFor(options);
  if (!config.ok()) return Complain(config.error().message, options.json), kBadInput;
  if (options.action == WorkflowOptions::Action::kList) return List(options, *config);
  Progress progress(0);
  progress.Stage("starting the judge ...");
  const auto use = [&](judge::Judge& judge) -> Awaitable<int> {
    if (options.action == WorkflowOptions::Action::kRun) co_return co_await RunOne(options, judge, progress);
    progress.Clear();
    co_return Check(options, judge);
  };
  return WithJudge(*config, options.json, use);
}

}  // namespace kgym::app
