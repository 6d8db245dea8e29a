// kgym status: the newest evaluations of a server, or those that are named.
#include <unistd.h>

#include "apps/kgym/await.h"
#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/evaluation_table.h"
#include "apps/kgym/json_path.h"

namespace kgym::app {
namespace {

Awaitable<int> Show(Remote& remote, const StatusOptions& options) {
  const bool named = !options.ids.empty();
  Awaitable<Rows> asking =
      named ? GetAll(remote, options.ids) : ListAll(remote, options.run, options.state, options.limit);
  const Rows all = co_await std::move(asking);
  if (!all.failed.ok()) co_return Complain(all.failed.fault, options.json), all.failed.code;
  ExitCode code = kFine;
  for (const Json& row : all.rows) {
    if (options.json) PrintJson(row);
    if (Lookup(row, "error").is_string()) code = kBadInput;
  }
  if (options.json) co_return code;
  if (all.rows.empty()) co_return Print("no evaluation; `kgym submit` makes one\n"), code;
  Print(EvaluationTable(all.rows, ColourWanted(STDOUT_FILENO)) + "\n" + CountsOf(all.rows) + "\n");
  co_return code;
}

}  // namespace

int Run(const StatusOptions& options) {
  if (!options.ids.empty() && (!options.run.empty() || !options.state.empty()))
    return Complain("status: ids, or --run and --state; leave one out", options.json), kBadInput;
  return WithRemote(options.remote, options.json, [&](Remote& remote) { return Show(remote, options); });
}

}  // namespace kgym::app
