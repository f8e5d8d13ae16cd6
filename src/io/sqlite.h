// Reads tables of an SQLite database that somebody else wrote. Its schema is not trusted: only plain tables are read,
// and only by their columns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/byte_source.h"

struct sqlite3;
struct sqlite3_stmt;

namespace lanescope::io::sqlite {

/// The beginning of a file says that it is a database.
bool is_database(std::string_view beginning);

struct CloseDatabase {
  void operator()(sqlite3* handle) const;
};
struct EndStatement {
  void operator()(sqlite3_stmt* handle) const;
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, EndStatement>;

/// Read-only; writes nothing, not even a lock or a journal. For one thread.
class Database {
 public:
  /// `source` only gives the name in error messages; `progress` stops whatever query is running, which then throws
  /// Cancelled. Throws base::FileError.
  Database(const std::filesystem::path& path, const ByteSource& source, const ReadProgress& progress);

  bool has(std::string_view table) const { return tables_.contains(table); }
  /// The table exists and has that column, as it is spelled here.
  bool has(std::string_view table, std::string_view column) const;
  /// The largest rowid: about how many rows a table has, without counting. 0 if there is none.
  std::int64_t last_row(std::string_view table) const;
  std::int64_t count(std::string_view table) const;

  StatementHandle prepare(const std::string& sql) const;
  /// False at the end.
  bool step(sqlite3_stmt* statement) const;

 private:
  std::int64_t value_of(const std::string& sql) const;  ///< 0 if it gives no row
  [[noreturn]] void fail(int code) const;

  const ByteSource& source_;
  const ReadProgress& progress_;
  std::unique_ptr<sqlite3, CloseDatabase> handle_;
  std::map<std::string, std::vector<std::string>, std::less<>> tables_;  // and their columns
};

/// The rows of a table in the file's order, one at a time. Columns are numbered as they were asked for; those that this
/// file does not have are NULL in every row.
class Rows {
 public:
  Rows(const Database& database, std::string_view table, const std::vector<std::string_view>& columns);
  bool next() { return statement_ && database_.step(statement_.get()); }

  bool is_integer(int column) const;
  bool is_null(int column) const;
  /// NULL gives 0; a text or a real what SQLite makes of it.
  std::int64_t integer(int column) const;
  double real(int column) const;
  /// Valid until next().
  std::string_view text(int column) const;

 private:
  const Database& database_;
  StatementHandle statement_;  // none: there is no such table
};

/// The integer where it fits, otherwise `otherwise`.
template <typename Number>
Number narrowed(std::int64_t value, Number otherwise) {
  return std::in_range<Number>(value) ? static_cast<Number>(value) : otherwise;
}

}  // namespace lanescope::io::sqlite
