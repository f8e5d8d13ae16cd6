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
#include "io/producer.h"

struct sqlite3;
struct sqlite3_context;
struct sqlite3_stmt;
struct sqlite3_value;

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
  /// A function that SQL of ours may call, but the file's schema may not.
  void set_function(const char* name, void (*function)(sqlite3_context*, int, sqlite3_value**), void* argument) const;
  /// For any thread: whatever query is running fails soon.
  void interrupt() const;

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

/// What a column is read as.
enum class As : std::uint8_t { Integer, Real, Text };
struct Column {
  Column(const char* called) : name(called) {}  // most are
  Column(std::string_view called, As type = As::Integer) : name(called), as(type) {}
  std::string_view name;
  As as = As::Integer;
};

/// The same, read by a thread of its own, for tables with many rows. The database is that thread's while this exists.
class RowsAhead {
 public:
  RowsAhead(const Database& database, std::string_view table, const std::vector<Column>& columns, Threads threads);
  ~RowsAhead();
  RowsAhead(const RowsAhead&) = delete;
  RowsAhead& operator=(const RowsAhead&) = delete;

  bool next() { return ++row_ < batch_.rows || next_batch(); }

  bool is_integer(int column) const { return cell(column).type == Cell::Type::Integer; }
  bool is_null(int column) const { return cell(column).type == Cell::Type::Null; }
  /// Of a column that is read as integers. NULL gives 0; a text or a real what SQLite makes of it.
  std::int64_t integer(int column) const { return cell(column).integer; }
  double real(int column) const { return cell(column).real; }
  /// Valid until next().
  std::string_view text(int column) const {
    return std::string_view(batch_.texts).substr(cell(column).text.begin, cell(column).text.size);
  }

 private:
  struct Cell {
    enum class Type : std::uint8_t { Null, Integer, Other } type = Type::Null;
    union {
      std::int64_t integer = 0;
      double real;
      struct {
        std::uint32_t begin, size;
      } text;  // in Batch::texts
    };
  };
  struct Batch {
    std::vector<Cell> cells;
    std::string texts;
    std::size_t rows = 0;
  };

  const Cell& cell(int column) const { return batch_.cells[row_ * columns_ + static_cast<std::size_t>(column)]; }
  bool next_batch();
  bool fill(Batch& batch);
  static void take_row(sqlite3_context* context, int count, sqlite3_value** values);
  bool take_row(sqlite3_value** values);  ///< true if the batch is full

  const Database& database_;
  StatementHandle statement_;  // none: there is no such table
  std::size_t columns_ = 0;
  std::vector<std::pair<std::size_t, As>> selected_;  // of the columns, those that the table has
  Batch batch_;
  std::size_t row_ = 0;
  bool ended_ = false;
  // Of the thread.
  Batch* filling_ = nullptr;
  bool stepped_through_ = false;
  std::unique_ptr<Producer<Batch>> producer_;  // the last: its thread uses the others
};

/// The integer where it fits, otherwise `otherwise`.
template <typename Number>
Number narrowed(std::int64_t value, Number otherwise) {
  return std::in_range<Number>(value) ? static_cast<Number>(value) : otherwise;
}

}  // namespace lanescope::io::sqlite
