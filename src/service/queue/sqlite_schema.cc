#include "service/queue/sqlite_schema.h"

#include <array>

#include "base/text.h"

namespace kgym::service {
namespace {

// Step n brings version n to n + 1. A step that was released is never changed.
//
// Payloads and results have tables of their own: a task's row is written again at each transition and stays small.
// AUTOINCREMENT: the number of a forgotten task is not given to another. The partial indexes hold what lives only.
constexpr std::array<const char*, kSchemaVersion> kSteps = {R"sql(
CREATE TABLE task (
  sequence        INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT    NOT NULL UNIQUE,
  state           INTEGER NOT NULL,
  tenant          TEXT    NOT NULL,
  run             TEXT    NOT NULL,
  priority        INTEGER NOT NULL,
  content_key     TEXT    NOT NULL,
  labels          TEXT    NOT NULL,
  affinity        TEXT    NOT NULL,
  expected_hold_s REAL    NOT NULL,
  deadline_ms     INTEGER NOT NULL,
  max_attempts    INTEGER NOT NULL,
  dedup           INTEGER NOT NULL,
  fingerprint     TEXT    NOT NULL,
  share_key       TEXT    NOT NULL,
  submitted_ms    INTEGER NOT NULL,
  started_ms      INTEGER NOT NULL DEFAULT 0,
  ended_ms        INTEGER NOT NULL DEFAULT 0,
  attempt         INTEGER NOT NULL DEFAULT 0,
  handed_back     INTEGER NOT NULL DEFAULT 0,
  lease_ms        INTEGER NOT NULL DEFAULT 0,
  worker          TEXT    NOT NULL DEFAULT '',
  lane            TEXT    NOT NULL DEFAULT '',
  stage           TEXT    NOT NULL DEFAULT '',
  reason          TEXT    NOT NULL DEFAULT '',
  attached_to     TEXT    NOT NULL DEFAULT ''
);
CREATE TABLE payload (sequence INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE result  (sequence INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE INDEX task_state    ON task (state, sequence);
CREATE INDEX task_run      ON task (run, sequence);
CREATE INDEX task_tenant   ON task (tenant, sequence);
CREATE INDEX task_share    ON task (share_key)   WHERE state < 2 AND attached_to = '' AND share_key <> '';
CREATE INDEX task_attached ON task (attached_to) WHERE state = 0 AND attached_to <> '';
CREATE INDEX task_deadline ON task (deadline_ms) WHERE state < 2 AND deadline_ms > 0;
CREATE INDEX task_ended    ON task (ended_ms)    WHERE state >= 2;
)sql"};

Status Climb(Database& database, int version) {
  for (; version < kSchemaVersion; ++version) KGYM_TRY_VOID(database.Run(kSteps[static_cast<std::size_t>(version)]));
  return database.Run(Concat("PRAGMA user_version = ", kSchemaVersion));
}

}  // namespace

Status MigrateSchema(Database& database) {
  KGYM_TRY(const std::int64_t version, database.Int("PRAGMA user_version"));
  if (version == kSchemaVersion) return Ok();
  if (version > kSchemaVersion) {
    return Error{Concat("the queue file is of version ", version, ", and this program knows up to ", kSchemaVersion,
                        "; use a newer kgym")};
  }
  KGYM_TRY_VOID(database.Run("BEGIN IMMEDIATE"));
  const Status climbed = Climb(database, static_cast<int>(version));
  if (!climbed) {
    if (const Status undone = database.Run("ROLLBACK"); !undone) return undone;
    return climbed;
  }
  return database.Run("COMMIT");
}

}  // namespace kgym::service
