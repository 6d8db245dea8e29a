// kgym problems list, show, check.
#include <unistd.h>

#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/input.h"
#include "apps/kgym/progress.h"
#include "apps/kgym/run.h"
#include "apps/kgym/table.h"
#include "base/text.h"

namespace kgym::app {
namespace {

Result<std::vector<judge::Problem>> Chosen(const ProblemsOptions& options) {
  ProblemFinder finder(options.source);
  std::vector<std::string> names = options.names;
  if (names.empty()) {
    KGYM_TRY(const judge::Suite* suite, finder.Opened());
    names = suite->names();
  }
  std::vector<judge::Problem> problems;
  for (const std::string& name : names) {
    KGYM_TRY(judge::Problem problem, finder.Find(name));
    problems.push_back(std::move(problem));
  }
  return problems;
}

std::string LevelOf(const std::string& name) { return name.starts_with("level") ? name.substr(0, name.find('/')) : ""; }

Json ListRow(const judge::Problem& problem) {
  judge::ProblemOutline outline = judge::OutlineOf(problem.source);
  outline.workloads.push_back("default");
  return {{"name", problem.name},
          {"level", LevelOf(problem.name)},
          {"workloads", outline.workloads},
          {"sentence", outline.sentence},
          {"path", problem.path}};
}

int List(const ProblemsOptions& options, const std::vector<judge::Problem>& problems) {
  Table table({{"name"}, {"level"}, {"workloads"}, {"what it computes", Table::Align::kLeft, 90}});
  for (const judge::Problem& problem : problems) {
    const Json row = ListRow(problem);
    if (options.json) PrintJson(row);
    const auto workloads = row["workloads"].get<std::vector<std::string>>();
    table.Add({{problem.name},
               {row["level"].get<std::string>()},
               {Join(workloads, ", ")},
               {row["sentence"].get<std::string>()}});
  }
  if (!options.json) Print(table.Text(ColourWanted(STDOUT_FILENO)) + Concat("\n", problems.size(), " problems\n"));
  return kFine;
}

int Show(const ProblemsOptions& options, const judge::Problem& problem) {
  if (!options.json) return Print(problem.source), kFine;
  Json row = ListRow(problem);
  row["source"] = problem.source;
  return PrintJson(row), kFine;
}

/// {"name", "findings": [{kind, severity, message}]}, whatever came of it: a problem that does not load is an error,
/// too.
Json Checked(const judge::Problem& problem, const Result<Json>& examined) {
  Json findings = Json::array();
  if (examined.ok()) {
    findings = examined->value("findings", Json::array());
  } else {
    findings.push_back({{"kind", "does_not_run"}, {"severity", "error"}, {"message", examined.error().message}});
  }
  return {{"name", problem.name}, {"workload", problem.workload}, {"findings", findings}};
}

/// Prints the findings.
void Tell(const Json& checked, Progress& progress) {
  const bool colour = ColourWanted(STDOUT_FILENO);
  for (const Json& finding : checked["findings"]) {
    const bool error = finding.value("severity", "") == "error";
    progress.Clear();
    Print(Concat(checked.value("name", ""), ": ",
                 Paint(finding.value("severity", "?"), error ? Colour::kRed : Colour::kYellow, colour), " ",
                 finding.value("kind", "?"), ": ", Printable(finding.value("message", "")), "\n"));
  }
}

Awaitable<int> Check(judge::Judge& judge, const ProblemsOptions& options, const std::vector<judge::Problem>& problems) {
  Progress progress(static_cast<int>(problems.size()));
  int errors = 0, unsound = 0;
  for (const judge::Problem& problem : problems) {
    progress.Stage(problem.name);
    const Json checked = Checked(problem, co_await judge.Examine(problem));
    int here = 0;
    for (const Json& finding : checked["findings"]) here += finding.value("severity", "") == "error";
    if (options.json) {
      PrintJson(checked);
    } else {
      Tell(checked, progress);
    }
    progress.Step(Concat(problem.name, here == 0 ? "  sound" : "  unsound"));
    errors += here;
    unsound += here > 0;
  }
  progress.Clear();
  const std::string summary =
      Concat(problems.size(), " checked, ", unsound, " unsound, ", errors, errors == 1 ? " error" : " errors");
  if (options.json) progress.Say(summary);
  if (!options.json) Print(summary + "\n");
  co_return errors > 0 ? kOtherVerdict : kFine;
}

}  // namespace

int Run(const ProblemsOptions& options) {
  const Result<std::vector<judge::Problem>> problems = Chosen(options);
  if (!problems.ok()) return Complain(problems.error().message, options.json), kBadInput;
  if (options.action == ProblemsOptions::Action::kList) return List(options, *problems);
  if (options.action == ProblemsOptions::Action::kShow) return Show(options, problems->front());
  const Result<judge::JudgeConfig> config = LoadConfig(options.config);
  if (!config.ok()) return Complain(config.error().message, options.json), kBadInput;
  return WithJudge(*config, options.json,
                   [&](judge::Judge& judge) -> Awaitable<int> { co_return co_await Check(judge, options, *problems); });
}

}  // namespace kgym::app
