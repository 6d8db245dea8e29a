// Waiting for evaluations on a server until they have ended, and telling how.
//
// Threads: the remote's executor.
#pragma once

#include <string>
#include <vector>

#include "apps/kgym/progress.h"
#include "apps/kgym/remote.h"

namespace kgym::app {

/// What became of many questions: one row each, in order, or an answer that says why all of it failed.
struct Rows {
  std::vector<Json> rows;
  Answer failed;  // ok() where nothing did.
};

/// Each once it has ended, by long-polls; a step of `progress` each. One that is not known is {"id", "error"}.
Awaitable<Rows> AwaitAll(Remote& remote, const std::vector<std::string>& ids, Progress& progress);

/// Each as it is now.
Awaitable<Rows> GetAll(Remote& remote, const std::vector<std::string>& ids);

/// Lines of the list, the newest first: of a run and a state where they are named, at most `limit`; 0: all.
Awaitable<Rows> ListAll(Remote& remote, const std::string& run, const std::string& state, int limit);

/// Prints those that have ended: one as a verdict, many as rows; as JSON a line each. The exit code is the worst of
/// all.
ExitCode ShowEnded(const std::vector<Json>& evaluations, bool json);

/// The texts under "id".
std::vector<std::string> IdsOf(const std::vector<Json>& rows);

}  // namespace kgym::app
