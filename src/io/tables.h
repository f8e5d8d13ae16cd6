// A trace as tables, for pandas, DuckDB, SQLite and spreadsheets. docs/manual.md describes the tables and their
// columns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "analysis/live_analysis.h"
#include "trace/run_facts.h"

namespace lanescope::io {

/// Of the tables' names, columns and meanings. Columns are only ever added; anything else increases it.
inline constexpr int kTablesVersion = 1;

struct Column {
  const char* name;
  enum class Type : std::uint8_t { Integer, Real, Text } type = Type::Integer;
};
/// Empty: not known, or there is none.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string_view>;

/// Where tables are written to. All functions throw base::FileError. Without commit() nothing is left behind, and what
/// was there before stays.
class TableSink {
 public:
  virtual ~TableSink() = default;
  /// Ends the table before it.
  virtual void begin(std::string_view table, std::span<const Column> columns) = 0;
  virtual void row(std::span<const Cell> cells) = 0;
  virtual void commit() = 0;
};

/// A file for each table in this folder, which is made if need be: "events.csv", ...
std::unique_ptr<TableSink> csv_tables(const std::filesystem::path& folder);
/// One database, with indexes for the usual questions.
std::unique_ptr<TableSink> sqlite_tables(const std::filesystem::path& path);

/// Writes all tables; does not commit. `analysis` must be of `trace`, and finished.
void write_tables(TableSink& sink, const trace::Trace& trace, const analysis::LiveAnalysis& analysis,
                  const trace::RunFacts& facts);

}  // namespace lanescope::io
