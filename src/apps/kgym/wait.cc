// kgym wait: until evaluations have ended.
#include <algorithm>

#include "apps/kgym/await.h"
#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "base/text.h"

namespace kgym::app {
namespace {

Awaitable<int> Await(Remote& remote, const WaitOptions& options) {
  std::vector<std::string> ids = options.ids;
  if (ids.empty()) {
    const Rows run = co_await ListAll(remote, options.run, "", 0);
    if (!run.failed.ok()) co_return Complain(run.failed.fault, options.json), run.failed.code;
    ids = IdsOf(run.rows);
    std::ranges::reverse(ids);  // As they were submitted.
  }
  if (ids.empty()) {
    Complain(Concat("--run '", options.run, "': no evaluation of it is known; `kgym status` lists the newest"),
             options.json);
    co_return kBadInput;
  }
  Progress progress(static_cast<int>(ids.size()));
  remote.TellWaits([&progress](std::string_view why) { progress.Say(why); });
  progress.Stage("waiting ...");
  const Rows all = co_await AwaitAll(remote, ids, progress);
  progress.Clear();
  remote.TellWaits([](std::string_view) {});
  if (!all.failed.ok()) co_return Complain(all.failed.fault, options.json), all.failed.code;
  co_return ShowEnded(all.rows, options.json);
}

}  // namespace

int Run(const WaitOptions& options) {
  if (options.ids.empty() == options.run.empty())
    return Complain("wait: ids, or --run RUN, are expected", options.json), kBadInput;
  return WithRemote(options.remote, options.json, [&](Remote& remote) { return Await(remote, options); });
}

}  // namespace kgym::app
