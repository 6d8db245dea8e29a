#include "service/queue/sqlite.h"

#include "base/text.h"

namespace kgym::service {

Rows::~Rows() {
  sqlite3_reset(statement_);  // Tells again what went wrong in Next.
  sqlite3_clear_bindings(statement_);
}

Result<bool> Rows::Next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_.LastError();
}

std::string Rows::Text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return {};
  const int size = sqlite3_column_bytes(statement_, column);
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
}

Result<std::unique_ptr<Database>> Database::Open(const std::filesystem::path& path) {
  auto database = std::make_unique<Database>();
  database->path_ = path;
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  database->handle_.reset(handle);
  if (code != SQLITE_OK) return database->LastError();
  return database;
}

Status Database::Run(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return LastError();
  return Ok();
}

Result<std::int64_t> Database::Int(const std::string& sql) {
  Query query = Prepare(sql);
  Rows rows = query.Select();
  KGYM_TRY(const bool found, rows.Next());
  if (!found) return Error{Concat(path_.string(), ": '", sql, "' gave no value")};
  return rows.Int(0);
}

Query Database::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int size = static_cast<int>(sql.size());
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), size, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  KGYM_CHECK_EQ(code, SQLITE_OK) << sql << ": " << sqlite3_errmsg(handle_.get());
  Query query;
  query.database_ = this;
  query.statement_.reset(statement);
  return query;
}

Error Database::LastError() const {
  const int code = sqlite3_extended_errcode(handle_.get());
  const std::string where = path_.string();
  switch (code & 0xff) {
    case SQLITE_FULL:
      return Error{Concat(where,
                          ": no room left, on the disk or under the size that the file may have; nothing was "
                          "stored. Make room, or keep ended tasks for a shorter time.")};
    case SQLITE_BUSY:
      return Error{Concat(where, ": another process has it open; a queue file belongs to one process")};
    case SQLITE_NOTADB:
      return Error{Concat(where, ": is not a queue file; move it away, or name another file")};
    case SQLITE_CORRUPT:
      return Error{Concat(where, ": is damaged (", sqlite3_errmsg(handle_.get()),
                          "); restore a copy of it, or move it away and start with an empty queue")};
    default:
      return Error{
          Concat(where, ": ", sqlite3_errmsg(handle_.get()), " (", sqlite3_errstr(code), ", code ", code, ")")};
  }
}

}  // namespace kgym::service
