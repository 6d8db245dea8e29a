// kgym eval PROBLEM SUBMISSION: one verdict.
#include <unistd.h>

#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/evaluate.h"
#include "apps/kgym/progress.h"
#include "apps/kgym/rows.h"
#include "apps/kgym/run.h"
#include "apps/kgym/table.h"
#include "apps/kgym/verdict_text.h"
#include "base/text.h"

namespace kgym::app {
namespace {

Result<Task> ReadTask(const EvalOptions& options) {
  ProblemFinder finder(options.source);
  Task task;
  KGYM_TRY(task.problem, finder.Find(options.problem));
  Result<judge::Submission> submission = ReadSubmission(options.submission, options.backend, options.entry);
  if (!submission.ok()) return Within("submission", submission.error());
  task.submission = std::move(*submission);
  return task;
}

void Show(const EvalOptions& options, const Evaluated& evaluated) {
  if (evaluated.verdict.is_null()) {
    Complain(evaluated.error, options.json);
    if (!evaluated.details.empty()) Progress(0).Say(Printable(Trim(evaluated.details)));
    return;
  }
  if (options.json) return PrintJson(evaluated.verdict);
  Print(VerdictText(evaluated.verdict, ColourWanted(STDOUT_FILENO)));
}

}  // namespace

int Run(const EvalOptions& options) {
  if (options.submission.empty()) return RunRows(options);
  const Result<judge::JudgeConfig> config = LoadConfig(options.config);
  if (!config.ok()) return Complain(config.error().message, options.json), kBadInput;
  const Result<Task> task = ReadTask(options);
  if (!task.ok()) return Complain(task.error().message, options.json), kBadInput;

  Progress progress(0);
  progress.Stage("starting the judge ...");
  return WithJudge(*config, options.json, [&](judge::Judge& judge) -> Awaitable<int> {
    progress.Stage(Concat("judging ", options.submission, " ..."));
    const Evaluated evaluated = co_await Evaluate(judge, *config, *task, options.keep);
    progress.Clear();
    Show(options, evaluated);
    co_return evaluated.code;
  });
}

}  // namespace kgym::app
