#include "apps/kgym/problems_check.h"

#include <unistd.h>

#include <algorithm>

#include "apps/kgym/console.h"
#include "apps/kgym/exit_code.h"
#include "apps/kgym/ordered_lines.h"
#include "apps/kgym/progress.h"
#include "apps/kgym/run.h"
#include "apps/kgym/table.h"
#include "base/async.h"
#include "base/text.h"

namespace kgym::app {
namespace {

bool IsError(const Json& finding) { return finding.value("severity", "") == "error"; }

int Errors(const Json& checked) { return static_cast<int>(std::ranges::count_if(checked["findings"], IsError)); }

/// Whether the memory that others held at the time may be why.
bool LackedMemory(const Json& checked) {
  return std::ranges::any_of(checked["findings"], [](const Json& finding) {
    return IsError(finding) && finding.value("kind", "") == "too_big";
  });
}

/// What came of it: a problem that does not load, or ends its host, is a finding, too.
Json Checked(const judge::Problem& problem, const Result<Json>& examined) {
  Json checked = {{"name", problem.name}, {"workload", problem.workload}};
  if (examined.ok()) {
    for (const char* key : {"findings", "size", "sizes"}) checked[key] = examined->value(key, Json());
    if (!checked["findings"].is_array()) checked["findings"] = Json::array();
  } else {
    checked["findings"] = {{{"kind", "does_not_run"}, {"severity", "error"}, {"message", examined.error().message}}};
  }
  return checked;
}

/// The findings and their repairs, for a person.
std::string Told(const Json& checked) {
  const bool colour = ColourWanted(STDOUT_FILENO);
  std::string text;
  for (const Json& finding : checked["findings"]) {
    text += Concat(checked.value("name", ""), ": ",
                   Paint(finding.value("severity", "?"), IsError(finding) ? Colour::kRed : Colour::kYellow, colour),
                   " ", finding.value("kind", "?"), ": ", Printable(finding.value("message", "")), "\n");
    const std::string repair = finding.value("repair", Json::object()).value("text", "");
    if (!repair.empty()) text += Concat("    repair: ", Printable(repair), "\n");
  }
  return text;
}

/// Looks at problems, several at once; at one for which there was no memory beside the others, again alone.
class Checker {
 public:
  Checker(judge::Judge& judge, Executor executor, const ProblemsOptions& options)
      : judge_(judge),
        scale_(options.fit ? judge::ExamineScale::kFitted : judge::ExamineScale::kAsIs),
        jobs_(static_cast<std::size_t>(options.jobs)),
        places_(executor, jobs_),
        alone_(executor, 1) {}

  Awaitable<Json> Check(const judge::Problem& problem) {
    Json checked;
    {
      const auto place = co_await places_.Acquire();
      checked = Checked(problem, co_await judge_.Examine(problem, scale_));
    }
    if (jobs_ == 1 || !LackedMemory(checked)) co_return checked;
    const auto alone = co_await alone_.Acquire();  // One at a time gathers all the places.
    std::vector<AsyncSemaphore::Permit> all;
    for (std::size_t i = 0; i < jobs_; ++i) all.push_back(co_await places_.Acquire());
    co_return Checked(problem, co_await judge_.Examine(problem, scale_));
  }

 private:
  judge::Judge& judge_;
  judge::ExamineScale scale_;
  std::size_t jobs_;
  AsyncSemaphore places_, alone_;
};

Awaitable<int> CheckAll(judge::Judge& judge, const ProblemsOptions& options,
                        const std::vector<judge::Problem>& problems, OrderedLines& lines) {
  Progress progress(static_cast<int>(problems.size()));
  Checker checker(judge, co_await boost::asio::this_coro::executor, options);
  int errors = 0, unsound = 0;
  const auto body = [&](std::size_t i) -> Awaitable<void> {
    progress.Stage(problems[i].name);
    const Json checked = co_await checker.Check(problems[i]);
    const int here = Errors(checked);
    progress.Clear();
    lines.Put(i, DumpJson(checked));
    if (!options.json) Print(Told(checked));
    progress.Step(Concat(problems[i].name, here == 0 ? "  sound" : "  unsound"));
    errors += here;
    unsound += here > 0;
  };
  Awaitable<void> all = ForEach(problems.size(), options.jobs, body);
  co_await std::move(all);
  progress.Clear();
  const std::string summary =
      Concat(problems.size(), " checked, ", unsound, " unsound, ", errors, errors == 1 ? " error" : " errors");
  if (options.json) progress.Say(summary);
  if (!options.json) Print(summary + "\n");
  co_return errors > 0 ? kOtherVerdict : kFine;
}

}  // namespace

int CheckProblems(const ProblemsOptions& options, const std::vector<judge::Problem>& problems) {
  Result<judge::JudgeConfig> config = LoadConfig(options.config);
  if (!config.ok()) return Complain(config.error().message, options.json), kBadInput;
  config->at_once = std::max({config->at_once, config->Completed().at_once, options.jobs});
  config->pool = 0;  // No submission is judged.
  Result<OrderedLines> lines = OrderedLines::Open(options.out, options.json);
  if (!lines.ok()) return Complain(lines.error().message, options.json), kBadInput;
  return WithJudge(*config, options.json, [&](judge::Judge& judge) -> Awaitable<int> {
    co_return co_await CheckAll(judge, options, problems, *lines);
  });
}

}  // namespace kgym::app
