// SQLite as this floor uses it: one connection, prepared statements, values bound by position, errors as sentences.
//
// Threads: a Database and its statements belong to one thread at a time.
#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kgym::service {

class Database;

/// The rows of one query. The statement is free for its next use when this goes.
class Rows {
 public:
  Rows(Database& database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows();

  /// Whether there is another one; its columns are read below.
  Result<bool> Next();

  std::int64_t Int(int column) const { return sqlite3_column_int64(statement_, column); }
  double Double(int column) const { return sqlite3_column_double(statement_, column); }
  std::string Text(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* statement_;
};

class Query {
 public:
  Query() = default;

  /// The bound texts must live as long as the rows.
  template <class... Values>
  Rows Select(const Values&... values) {
    int position = 0;
    (Bind(++position, values), ...);
    return Rows(*database_, statement_.get());
  }

  /// For a statement that gives no rows.
  template <class... Values>
  Status Run(const Values&... values) {
    Rows rows = Select(values...);
    KGYM_TRY_VOID(rows.Next());
    return Ok();
  }

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };

  void Bind(int position, std::integral auto value) { sqlite3_bind_int64(statement_.get(), position, value); }
  void Bind(int position, double value) { sqlite3_bind_double(statement_.get(), position, value); }
  void Bind(int position, std::string_view text) {
    sqlite3_bind_text64(statement_.get(), position, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }

  Database* database_ = nullptr;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  /// Made where it is not there.
  static Result<std::unique_ptr<Database>> Open(const std::filesystem::path& path);

  /// One or more statements without values.
  Status Run(const std::string& sql);
  Result<std::int64_t> Int(const std::string& sql);  // The one value that `sql` gives.

  /// `sql` is part of the program: one that does not compile is a bug. The database must outlive it.
  Query Prepare(std::string_view sql);

  std::int64_t last_row() const { return sqlite3_last_insert_rowid(handle_.get()); }
  bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

  /// What went wrong in the latest step.
  Error LastError() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace kgym::service
