#include "apps/kgym/evaluate.h"

#include "apps/kgym/console.h"
#include "base/text.h"
#include "judge/bundle.h"

namespace kgym::app {
namespace {

Evaluated Unjudged(std::string error, std::string details = "") {
  return {nullptr, std::move(error), std::move(details), kBadInput};
}

void Keep(const std::string& folder, const Task& task, const judge::JudgeConfig& config, Evaluated& evaluated) {
  const Result<std::filesystem::path> kept =
      judge::KeepBundle(folder, {task.problem, task.submission, ConfigJson(config), evaluated.verdict});
  if (kept.ok()) return;
  Complain("the bundle was not kept: " + kept.error().message, false);
  evaluated.code = kBadInput;
}

}  // namespace

Awaitable<Evaluated> Evaluate(judge::Judge& judge, judge::JudgeConfig config, const Task& task, std::string keep) {
  const Status backend = CheckBackend(judge, task.submission.backend);
  if (!backend.ok()) co_return Unjudged(backend.error().message);
  const judge::Judged judged = co_await judge.Evaluate(task.problem, task.submission, config);
  if (const auto* fault = std::get_if<judge::ProblemFault>(&judged))
    co_return Unjudged(fault->message, fault->traceback);
  const auto& verdict = std::get<judge::Verdict>(judged);
  Evaluated evaluated;
  evaluated.verdict = verdict.ToJson();
  evaluated.code = ExitCodeOf(verdict.outcome);
  if (!keep.empty()) Keep(keep, task, config, evaluated);
  co_return evaluated;
}

Json ErrorRow(const std::string& id, int row, const std::string& error) {
  return {{"id", ToUtf8(id)}, {"row", row}, {"error", ToUtf8(error)}};
}

}  // namespace kgym::app
