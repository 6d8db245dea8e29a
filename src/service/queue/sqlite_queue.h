// The embedded queue: one SQLite file, no other process needed. For one machine, or for many that reach it over HTTP.
//
// One thread owns the file. It takes all calls that came meanwhile, carries them out in one transaction, and answers
// when that is on disk: so the cost of a sync is shared by whoever waits for one. The file belongs to one process at a
// time.
#pragma once

#include <filesystem>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "service/queue/bounds.h"
#include "service/queue/queue.h"

namespace kgym::service {

struct SqliteOptions {
  std::filesystem::path path;  // The folder must be there; beside the file stands its write-ahead log (-wal).
  Bounds bounds = {};
  std::int64_t max_bytes = 0;    // The file grows no further; 0: as far as the disk reaches.
  const Clock* clock = nullptr;  // Must outlive the queue; null: the machine's.
};

/// An Error where the file cannot be opened, is another process's or a newer program's.
Result<std::unique_ptr<Queue>> OpenSqliteQueue(SqliteOptions options);

}  // namespace kgym::service
