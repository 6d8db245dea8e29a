// kgym cancel: stops evaluations, or all of a run that have not ended.
#include <unistd.h>

#include "apps/kgym/await.h"
#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/evaluation_table.h"
#include "base/text.h"

namespace kgym::app {
namespace {

/// The ids of a run that wait or run; those that wait come first, so that none of them is begun meanwhile.
Awaitable<Rows> Unended(Remote& remote, const std::string& run) {
  Rows all = co_await ListAll(remote, run, "queued", 0);
  if (!all.failed.ok()) co_return all;
  Rows running = co_await ListAll(remote, run, "running", 0);
  all.failed = std::move(running.failed);
  for (Json& row : running.rows) all.rows.push_back(std::move(row));
  co_return all;
}

Awaitable<int> Cancel(Remote& remote, const CancelOptions& options) {
  std::vector<std::string> ids = options.ids;
  if (ids.empty()) {
    const Rows run = co_await Unended(remote, options.run);
    if (!run.failed.ok()) co_return Complain(run.failed.fault, options.json), run.failed.code;
    ids = IdsOf(run.rows);
  }
  std::vector<Json> rows;
  ExitCode code = kFine;
  for (const std::string& id : ids) {
    Answer answer = co_await remote.Delete(EvaluationPath(id));
    if (!answer.ok() && answer.status != 404) co_return Complain(answer.fault, options.json), answer.code;
    if (!answer.ok()) code = kBadInput;
    rows.push_back(answer.ok() ? std::move(answer.json) : Json{{"id", ToUtf8(id)}, {"error", answer.fault}});
    if (options.json) PrintJson(rows.back());
  }
  if (options.json) co_return code;
  if (rows.empty()) co_return Print(Concat("nothing of run '", options.run, "' waits or runs\n")), code;
  Print(EvaluationTable(rows, ColourWanted(STDOUT_FILENO)) + "\n" + CountsOf(rows) + "\n");
  co_return code;
}

}  // namespace

int Run(const CancelOptions& options) {
  if (options.ids.empty() == options.run.empty())
    return Complain("cancel: ids, or --run RUN, are expected", options.json), kBadInput;
  return WithRemote(options.remote, options.json, [&](Remote& remote) { return Cancel(remote, options); });
}

}  // namespace kgym::app
