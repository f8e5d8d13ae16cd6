#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/platform/files.h"
#include "base/translate.h"
#include "io/tables.h"

namespace lanescope::io {
namespace {

struct Close {
  void operator()(sqlite3* handle) const { sqlite3_close(handle); }
};
struct End {
  void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
};

// The names of tables and columns are ours. What comes from a trace is bound, never part of a statement.
class SqliteTables final : public TableSink {
 public:
  explicit SqliteTables(std::filesystem::path path) : path_(std::move(path)) {
    temporary_ = path_;
    temporary_ += fmt::format(".{}.part", base::process_number());
    sqlite3* handle = nullptr;
    const int code =
        sqlite3_open_v2(temporary_.string().c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    handle_.reset(handle);
    check(code);
    // The file gets its name when it is complete: a journal would only cost time.
    run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = " + std::to_string(kTablesVersion) +
        "; BEGIN");
  }
  ~SqliteTables() override {
    insert_.reset();
    handle_.reset();
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
  }
  SqliteTables(const SqliteTables&) = delete;
  SqliteTables& operator=(const SqliteTables&) = delete;

  void begin(std::string_view table, std::span<const Column> columns) override {
    std::string create, values;
    for (const Column& column : columns) {
      const char* type = column.type == Column::Type::Integer ? "INTEGER"
                         : column.type == Column::Type::Real  ? "REAL"
                                                              : "TEXT";
      create += fmt::format("{}\"{}\" {}", create.empty() ? "" : ", ", column.name, type);
      values += values.empty() ? "?" : ", ?";
    }
    run(fmt::format("CREATE TABLE \"{}\" ({})", table, create));
    sqlite3_stmt* statement = nullptr;
    const std::string insert = fmt::format("INSERT INTO \"{}\" VALUES ({})", table, values);
    check(sqlite3_prepare_v2(handle_.get(), insert.c_str(), -1, &statement, nullptr));
    insert_.reset(statement);
  }
  void row(std::span<const Cell> cells) override {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      check(std::visit(Bind{insert_.get(), static_cast<int>(c) + 1}, cells[c]));
    }
    if (sqlite3_step(insert_.get()) != SQLITE_DONE) fail();
    sqlite3_reset(insert_.get());
  }
  void commit() override {
    insert_.reset();
    run("CREATE UNIQUE INDEX events_by_number ON events (event);"
        "CREATE INDEX events_by_time ON events (lane, start_ns);"
        "CREATE INDEX events_by_call ON events (launched_by) WHERE launched_by IS NOT NULL;"
        "COMMIT");
    check(sqlite3_close(handle_.get()));
    (void)handle_.release();
    std::error_code error;
    std::filesystem::rename(temporary_, path_, error);
    if (error) fail(error.message());
  }

 private:
  struct Bind {
    sqlite3_stmt* statement;
    int column;

    int operator()(std::monostate) const { return sqlite3_bind_null(statement, column); }
    int operator()(std::int64_t value) const { return sqlite3_bind_int64(statement, column, value); }
    int operator()(double value) const { return sqlite3_bind_double(statement, column, value); }
    int operator()(std::string_view text) const {
      return sqlite3_bind_text64(statement, column, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    }
  };

  void run(const std::string& sql) { check(sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr)); }
  void check(int code) const {
    if (code != SQLITE_OK) fail();
  }
  [[noreturn]] void fail() const { fail(handle_ ? sqlite3_errmsg(handle_.get()) : "out of memory"); }
  [[noreturn]] void fail(const std::string& why) const {
    throw base::FileError(base::tr("{}: the tables cannot be written: {}", path_.string(), why));
  }

  const std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::unique_ptr<sqlite3_stmt, End> insert_;
};

}  // namespace

std::unique_ptr<TableSink> sqlite_tables(const std::filesystem::path& path) {
  return std::make_unique<SqliteTables>(path);
}

}  // namespace lanescope::io
