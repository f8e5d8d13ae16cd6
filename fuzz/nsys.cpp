// Exports of Nsight Systems. The mutator opens the database in memory, changes rows, columns and tables, and gives back
// its bytes; at times it changes the bytes themselves.
#include <sqlite3.h>

#include <array>
#include <memory>
#include <vector>

#include "examine.h"
#include "io/byte_source.h"
#include "io/sqlite.h"
#include "io/trace_file.h"

using namespace lanescope;

namespace {

struct Close {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};
using Handle = std::unique_ptr<sqlite3, Close>;

constexpr int kSteps = 20'000;  // of SQLite's machine, for one statement: a mutated schema may ask for endless work

Handle opened(std::string_view bytes) {
  sqlite3* raw = nullptr;
  if (sqlite3_open(":memory:", &raw) != SQLITE_OK) return {};
  Handle handle(raw);
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, 1 << 20);
  sqlite3_progress_handler(
      raw, kSteps, [](void*) { return 1; }, nullptr);
  if (bytes.empty()) {
    sqlite3_exec(raw, "PRAGMA page_size = 512", nullptr, nullptr, nullptr);
    return handle;
  }
  auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
  if (copy == nullptr) return {};
  bytes.copy(reinterpret_cast<char*>(copy), bytes.size());
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  if (sqlite3_deserialize(raw, "main", copy, size, size,
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) != SQLITE_OK) {
    return {};
  }
  return handle;
}

std::vector<std::string> texts(sqlite3* handle, const std::string& sql, int column) {
  std::vector<std::string> all;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return all;
  while (sqlite3_step(statement) == SQLITE_ROW && all.size() < 1000) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    if (text != nullptr) all.emplace_back(text);
  }
  sqlite3_finalize(statement);
  return all;
}

std::string quoted(const std::string& name) { return '"' + name + '"'; }

std::string any_value(fuzz::Dice& dice) {
  constexpr std::array<const char*, 15> kTexts = {"cudaLaunchKernel_v7000",
                                                  "cudaStreamSynchronize_v3020",
                                                  "cudaMemcpyAsync_v3020",
                                                  "cudaDeviceSynchronize_v3020",
                                                  "step 7",
                                                  "iteration 9223372036854775807",
                                                  "aten::mm, op_id = 12, sizes = [[1, 2]]",
                                                  ":optimizer",
                                                  "/usr/bin/python3",
                                                  "x",
                                                  "cudaGraphLaunch_v10000",
                                                  "cudaFree_v3020",
                                                  "",
                                                  "GPU 0: SMs Active",
                                                  "ncclAllReduce"};
  switch (dice.below(9)) {
    case 0:
      return "NULL";
    case 1:
      return std::to_string(dice.extreme());
    case 2:
      return std::to_string(dice.below(12));
    case 3:
      return std::string("'") + kTexts[dice.below(kTexts.size())] + "'";
    case 4:
      return "x'ff00fe80'";
    case 5:
      return dice.one_in(2) ? "9e999" : "1.5e18";
    case 6:
      return std::to_string((std::int64_t{1} << 48) | static_cast<std::int64_t>(dice.below(4)) << 24 |
                            static_cast<std::int64_t>(dice.below(4)));
    case 7:
      return "zeroblob(" + std::to_string(dice.below(5000)) + ")";
    default:
      return std::to_string(dice.below(100'000));
  }
}

constexpr std::array<const char*, 16> kTables = {"CUPTI_ACTIVITY_KIND_RUNTIME",
                                                 "CUPTI_ACTIVITY_KIND_KERNEL",
                                                 "CUPTI_ACTIVITY_KIND_MEMCPY",
                                                 "CUPTI_ACTIVITY_KIND_MEMSET",
                                                 "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                                 "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                                 "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                                                 "NVTX_EVENTS",
                                                 "OSRT_API",
                                                 "GPU_METRICS",
                                                 "TARGET_INFO_GPU_METRICS",
                                                 "TARGET_INFO_GPU",
                                                 "TARGET_INFO_CUDA_DEVICE",
                                                 "PROCESSES",
                                                 "ThreadNames",
                                                 "DIAGNOSTIC_EVENT"};
constexpr std::array<const char*, 36> kColumns = {"start",
                                                  "end",
                                                  "globalTid",
                                                  "globalPid",
                                                  "correlationId",
                                                  "nameId",
                                                  "eventClass",
                                                  "deviceId",
                                                  "contextId",
                                                  "streamId",
                                                  "demangledName",
                                                  "shortName",
                                                  "registersPerThread",
                                                  "gridX",
                                                  "blockX",
                                                  "bytes",
                                                  "copyKind",
                                                  "srcKind",
                                                  "dstKind",
                                                  "memKind",
                                                  "graphNodeId",
                                                  "graphId",
                                                  "eventId",
                                                  "eventSyncId",
                                                  "eventType",
                                                  "text",
                                                  "textId",
                                                  "timestamp",
                                                  "typeId",
                                                  "metricId",
                                                  "value",
                                                  "metricName",
                                                  "severity",
                                                  "gpuId",
                                                  "cudaId",
                                                  "smCount"};

std::string statement(sqlite3* handle, fuzz::Dice& dice) {
  const std::vector<std::string> tables =
      texts(handle, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", 0);
  if (tables.empty() || dice.one_in(24)) {
    const std::string columns = std::string(kColumns[dice.below(kColumns.size())]) + " INT, start INT, \"end\" INT";
    return std::string("CREATE TABLE ") + kTables[dice.below(kTables.size())] + " (" + columns + ")";
  }
  const std::string& name = tables[dice.below(tables.size())];
  const std::string table = quoted(name);
  const std::vector<std::string> columns = texts(handle, "PRAGMA table_info(" + table + ")", 1);
  if (columns.empty()) return "DROP TABLE " + table;
  const std::string column = quoted(columns[dice.below(columns.size())]);
  const std::string some_row =
      " WHERE rowid IN (SELECT rowid FROM " + table + " LIMIT 1 OFFSET " + std::to_string(dice.below(24)) + ")";
  switch (dice.below(16)) {
    case 0:
      return "DELETE FROM " + table + some_row;
    case 1:
    case 2: {  // a copy of a row
      std::string list;
      for (const std::string& each : columns) list += (list.empty() ? "" : ", ") + quoted(each);
      return "INSERT OR REPLACE INTO " + table + " (" + list + ") SELECT " + list + " FROM " + table +
             " LIMIT 1 OFFSET " + std::to_string(dice.below(24));
    }
    case 3:
      return "UPDATE OR IGNORE " + table + " SET " + column + " = " + any_value(dice);
    case 4:
      return "UPDATE OR IGNORE " + table + " SET " + column + " = " + quoted(columns[dice.below(columns.size())]);
    case 5:
      return "ALTER TABLE " + table + " ADD COLUMN " + kColumns[dice.below(kColumns.size())] + " " +
             (dice.one_in(2) ? "TEXT" : "ANY DEFAULT 7");
    case 6:
      return dice.one_in(3) ? "DROP TABLE " + table : "ALTER TABLE " + table + " DROP COLUMN " + column;
    case 7:
      return "ALTER TABLE " + table + " RENAME TO " + kTables[dice.below(kTables.size())];
    case 8:
      return "ALTER TABLE " + table + " RENAME COLUMN " + column + " TO " + kColumns[dice.below(kColumns.size())];
    case 9:
      return dice.one_in(2)
                 ? "UPDATE OR IGNORE " + table + " SET rowid = " + std::to_string(dice.extreme()) + some_row
                 : "CREATE VIEW " + std::string(kTables[dice.below(kTables.size())]) + " AS SELECT * FROM " + table;
    case 10: {
      const std::string kept =
          dice.one_in(2) ? "AS (" + std::to_string(dice.extreme()) + ")" : "AS (abs(start)) STORED";
      return "ALTER TABLE " + table + " ADD COLUMN " + kColumns[dice.below(kColumns.size())] + " INT " + kept;
    }
    case 11:
      return "UPDATE OR IGNORE " + table + " SET " + column + " = " + column + " + " + std::to_string(dice.extreme()) +
             some_row;
    default:
      return "UPDATE OR IGNORE " + table + " SET " + column + " = " + any_value(dice) + some_row;
  }
}

std::string mutated(std::string_view bytes, fuzz::Dice& dice) {
  const Handle handle = opened(bytes);
  if (!handle) return {};
  for (std::size_t n = 1 + dice.below(4); n > 0; --n) {
    sqlite3_exec(handle.get(), statement(handle.get(), dice).c_str(), nullptr, nullptr, nullptr);
  }
  if (dice.one_in(16)) sqlite3_exec(handle.get(), "VACUUM", nullptr, nullptr, nullptr);
  sqlite3_int64 size = 0;
  unsigned char* made = sqlite3_serialize(handle.get(), "main", &size, 0);
  std::string out(reinterpret_cast<char*>(made), made == nullptr ? 0 : static_cast<std::size_t>(size));
  sqlite3_free(made);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  if (!io::sqlite::is_database(bytes)) return 0;
  static fuzz::InputFile file(".sqlite");
  const std::filesystem::path& path = file.write(bytes);
  fuzz::accepted([&] {
    io::ByteSource source(path);
    fuzz::examine(io::read_nsys_export(path, source, nullptr, fuzz::limits_for(bytes)), bytes);
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  fuzz::Dice dice(seed);
  if (dice.one_in(6)) return LLVMFuzzerMutate(data, size, max_size);
  const std::string_view bytes = fuzz::text_of(data, size);
  return fuzz::give(mutated(io::sqlite::is_database(bytes) ? bytes : std::string_view(), dice), data, size, max_size);
}
