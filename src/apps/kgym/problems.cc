// kgym problems list, show; check is in problems_check.cc.
#include <unistd.h>

#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/exit_code.h"
#include "apps/kgym/input.h"
#include "apps/kgym/problems_check.h"
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

}  // namespace

int Run(const ProblemsOptions& options) {
  const Result<std::vector<judge::Problem>> problems = Chosen(options);
  if (!problems.ok()) return Complain(problems.error().message, options.json), kBadInput;
  if (options.action == ProblemsOptions::Action::kList) return List(options, *problems);
  if (options.action == ProblemsOptions::Action::kShow) return Show(options, problems->front());
  return CheckProblems(options, *problems);
}

}  // namespace kgym::app
