// The tables of the embedded queue, and how a file of an older version becomes one of this version.
//
// Threads: that of the database.
#pragma once

#include "service/queue/sqlite.h"

namespace kgym::service {

/// The version that this program writes, kept in the file as PRAGMA user_version.
inline constexpr int kSchemaVersion = 1;

/// Brings the file to kSchemaVersion, one step after the other, in one transaction. A file that a newer program wrote
/// is an Error and is left as it is.
Status MigrateSchema(Database& database);

}  // namespace kgym::service
