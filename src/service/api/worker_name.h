// The name a worker works under, where nobody gave it one, and the name of the process before it.
//
// A process that was killed leaves tasks that run under its name. The next one on this machine has another name, so it
// has to be told of the one before, and to be sure that it is dead: each name is written into a file that is locked for
// as long as its process lives, and whoever gets the lock reads there who had it before. Not only the last: a process
// that could not join, because its queue was away, left nothing behind and must not hide the one that did.
//
// Threads: any.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/fd.h"

namespace kgym::service {

struct WorkerName {
  std::string name;
  std::vector<std::string> before;  // Of processes that are dead, the last ones.
  Fd lock;                          // To be held for as long as the name is in use.
};

/// Host name, process id, and four letters, since process ids come again. Written into the first file of `folder`,
/// which is made, that no living process holds; where that cannot be done there is a name all the same, and none
/// before.
WorkerName TakeWorkerName(const std::filesystem::path& folder);

}  // namespace kgym::service
