// kgym cases DIR: submissions whose verdicts are known.
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "apps/kgym/case_file.h"
#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/evaluate.h"
#include "apps/kgym/json_path.h"
#include "apps/kgym/ordered_lines.h"
#include "apps/kgym/progress.h"
#include "apps/kgym/run.h"
#include "apps/kgym/table.h"
#include "base/files.h"
#include "base/text.h"

namespace kgym::app {
namespace {

/// One run of one case.
struct CaseRun {
  const Case* of = nullptr;
  judge::JudgeConfig config;
};

struct Found {
  std::vector<CaseRun> runs;
  int skipped = 0;
};

Result<std::vector<Case>> ReadCases(const CasesOptions& options) {
  ProblemFinder finder(options.source);
  KGYM_TRY(const std::vector<std::filesystem::path> files, ListFiles(options.folder, "case.yaml"));
  std::vector<Case> cases;
  for (const std::filesystem::path& file : files) {
    if (file.filename() != "case.yaml" || file.string().find(options.filter) == std::string::npos) continue;
    KGYM_TRY(Case read, ReadCase(file, options.folder, finder));
    cases.push_back(std::move(read));
  }
  if (cases.empty())
    return Error{Concat(options.folder, ": no case.yaml in it",
                        options.filter.empty() ? "" : " whose path contains '" + options.filter + "'")};
  return cases;
}

Result<Found> Plan(const std::vector<Case>& cases, const judge::JudgeConfig& config, int repeat) {
  Found found;
  const char* device = config.on_gpu() ? "gpu" : "cpu";
  for (const Case& one : cases) {
    if (!one.RunsOn(device)) {
      ++found.skipped;
      continue;
    }
    KGYM_TRY(const judge::JudgeConfig own, WithChanges(config, one.config, one.name + "/case.yaml: field 'config'"));
    for (int i = 0; i < repeat; ++i) found.runs.push_back({&one, own});
  }
  return found;
}

/// Runs in the order in which a reference host serves longest: by problem. What is printed keeps the order of the
/// cases.
std::vector<std::size_t> ByProblem(const std::vector<CaseRun>& runs) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&runs](std::size_t i) -> const std::string& { return runs[i].of->task.problem.name; });
  return order;
}

/// {"case", "as_expected", "differences", "why", "verdict"}: what is known of a run that has ended.
Json Ended(const CaseRun& run, const Evaluated& evaluated) {
  std::vector<std::string> differences;
  if (evaluated.verdict.is_null()) {
    differences.push_back("expected " + Join(run.of->expect, " or ") +
                          ", but the problem cannot be judged: " + evaluated.error);
  } else {
    differences = Differences(*run.of, evaluated.verdict);
  }
  for (std::string& difference : differences) difference = ToUtf8(difference);
  return {{"case", run.of->name},
          {"as_expected", differences.empty()},
          {"differences", differences},
          {"why", run.of->why},
          {"verdict", evaluated.verdict}};
}

/// Whether the run counts as expected: at once, or each time that it was judged again.
bool Right(const Json& ended) {
  const auto as_expected = [](const Json& run) { return run["as_expected"] == true; };
  return as_expected(ended) || (ended.contains("again") && std::ranges::all_of(ended["again"], as_expected));
}

std::string DifferenceText(const Json& ended, bool colour) {
  std::string text = Paint(ended.value("case", ""), Colour::kBold, colour) + "\n";
  for (const Json& difference : ended["differences"])
    text += Concat("  ", Paint(Printable(difference.get<std::string>()), Colour::kRed, colour), "\n");
  if (const Json& reason = Lookup(ended, "verdict.reason"); reason.is_string())
    text += Concat("  the judge: ", Printable(reason.get<std::string>()), "\n");
  if (const std::string why = ended.value("why", ""); !why.empty())
    text += Concat("  the case: ", Printable(why), "\n");
  if (ended.contains("again")) {
    const std::size_t times = ended["again"].size();
    const std::string count = times == 1 ? "once" : Concat(times, " times");
    text += Right(ended) ? Concat("  judged again ", count, ", alone: as expected\n")
                         : Concat("  judged again ", count, ", alone: not as expected either\n");
  }
  return text;
}

/// All of `found`, in its order.
Awaitable<std::vector<Json>> JudgeAll(judge::Judge& judge, const Found& found, int jobs, OrderedLines& verdicts,
                                      Progress& progress) {
  const std::vector<std::size_t> order = ByProblem(found.runs);
  std::vector<Json> ended(found.runs.size());
  const auto body = [&](std::size_t place) -> Awaitable<void> {
    const CaseRun& run = found.runs[order[place]];
    const Evaluated evaluated = co_await Evaluate(judge, run.config, run.of->task, "");
    Json& end = ended[order[place]] = Ended(run, evaluated);
    verdicts.Put(order[place], DumpJson(evaluated.verdict.is_null() ? ErrorRow(run.of->name, 1, evaluated.error)
                                                                    : evaluated.verdict));
    const Json& outcome = Lookup(end, "verdict.outcome");
    progress.Step(Concat(run.of->name, "  ", outcome.is_string() ? outcome.get<std::string>() : "bad input",
                         end["as_expected"] == true ? "" : "  NOT AS EXPECTED"));
  };
  Awaitable<void> all = ForEach(found.runs.size(), jobs, body);
  co_await std::move(all);
  co_return ended;
}

/// Judges `run` up to `times` more, one after another with nothing beside it, and stops where it is wrong once more:
/// what a busy machine did to one measurement it does not do to each.
Awaitable<Json> JudgeAgain(judge::Judge& judge, const CaseRun& run, int times) {
  Json again = Json::array();
  for (int i = 0; i < times; ++i) {
    const Evaluated evaluated = co_await Evaluate(judge, run.config, run.of->task, "");
    again.push_back(Ended(run, evaluated));
    if (again.back()["as_expected"] == false) break;
  }
  co_return again;
}

Awaitable<int> RunCases(judge::Judge& judge, const CasesOptions& options, const Found& found, OrderedLines& verdicts) {
  Progress progress(static_cast<int>(found.runs.size()));
  progress.Stage("judging ...");
  std::vector<Json> ended = co_await JudgeAll(judge, found, options.jobs, verdicts, progress);
  for (std::size_t i = 0; i < ended.size() && options.again > 0; ++i) {
    if (Right(ended[i])) continue;
    progress.Stage(Concat("judging ", found.runs[i].of->name, " again ..."));
    ended[i]["again"] = co_await JudgeAgain(judge, found.runs[i], options.again);
  }
  progress.Clear();

  std::size_t right = 0;
  for (const Json& end : ended) {
    right += Right(end) ? 1 : 0;
    if (options.json) PrintJson(end);
    if (!options.json && end["as_expected"] == false) Print(DifferenceText(end, ColourWanted(STDOUT_FILENO)));
  }
  const std::string skipped =
      found.skipped > 0 ? Concat("; ", found.skipped, " skipped: they need a device that is not here") : "";
  const std::string summary = Concat(right, " of ", ended.size(), " as expected", skipped);
  if (options.json) progress.Say(summary);
  if (!options.json) Print(summary + "\n");
  co_return right == ended.size() ? kFine : kOtherVerdict;
}

}  // namespace

int Run(const CasesOptions& options) {
  const Result<judge::JudgeConfig> config = LoadConfig(options.config);
  if (!config.ok()) return Complain(config.error().message, options.json), kBadInput;
  const Result<std::vector<Case>> cases = ReadCases(options);
  if (!cases.ok()) return Complain(cases.error().message, options.json), kBadInput;
  const Result<Found> found = Plan(*cases, *config, options.repeat);
  if (!found.ok()) return Complain(found.error().message, options.json), kBadInput;
  if (found->runs.empty()) {
    Complain(Concat(options.folder, ": none of its ", found->skipped, " cases runs on this device"), options.json);
    return kBadInput;
  }
  Result<OrderedLines> verdicts = OrderedLines::Open(options.out, false);
  if (!verdicts.ok()) return Complain(verdicts.error().message, options.json), kBadInput;
  return WithJudge(*config, options.json, [&](judge::Judge& judge) -> Awaitable<int> {
    co_return co_await RunCases(judge, options, *found, *verdicts);
  });
}

}  // namespace kgym::app
