#include "io/tables.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/breakdown.h"
#include "base/error.h"
#include "base/platform/files.h"
#include "base/translate.h"
#include "base/version.h"
#include "io/atomic_file.h"
#include "io/escaped_text.h"

namespace lanescope::io {
namespace {

using base::Nanoseconds;
using trace::Event;
using trace::EventIndex;
using trace::EventKind;
using trace::EventRef;
using trace::LaneId;
using trace::LaneKind;
using Type = Column::Type;

// Keys, like those of the JSON report: the same in every language.
std::string_view key_of(EventKind kind) {
  constexpr std::array<std::string_view, 7> kKeys{"range", "call", "kernel", "copy", "memset", "marker", "counter"};
  return kKeys[static_cast<std::size_t>(kind)];
}
std::string_view key_of(LaneKind kind) {
  constexpr std::array<std::string_view, 10> kKeys{"iterations", "ranges",       "calls",      "kernels", "copies_h2d",
                                                   "copies_d2h", "copies_other", "gpu_ranges", "markers", "counter"};
  return kKeys[static_cast<std::size_t>(kind)];
}
Cell key_of(trace::MemoryKind memory) {
  return memory == trace::MemoryKind::Unknown ? Cell{} : Cell{analysis::memory_key(memory)};
}

Cell number(std::uint64_t n) { return static_cast<std::int64_t>(n); }
Cell text(std::string_view text) { return text.empty() ? Cell{} : Cell{text}; }

class Writer {
 public:
  Writer(TableSink& sink, const trace::Trace& trace, const analysis::LiveAnalysis& analysis)
      : sink_(sink), trace_(trace), analysis_(analysis), links_(analysis.links()) {
    std::int64_t next = 1;
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
      auto& rows = first_.emplace_back();
      for (std::size_t r = 0; r < lane.row_count(); ++r) {
        const trace::Row& row = lane.row(r);
        rows.push_back(next - static_cast<std::int64_t>(row.first()));
        next += static_cast<std::int64_t>(row.last() - row.first());
      }
    }
  }

  void about(const trace::RunFacts& facts) {
    constexpr Column kColumns[] = {{"key", Type::Text}, {"value", Type::Text}};
    sink_.begin("about", kColumns);
    const auto say = [&](std::string_view key, std::string_view value) {
      if (value.empty()) return;
      const Cell cells[] = {key, value};
      sink_.row(cells);
    };
    say("tables_version", std::to_string(kTablesVersion));
    say("lanescope_version", base::kVersion);
    say("times", "nanoseconds from the beginning of the trace");
    say("device", facts.device_name);
    say("simulated", facts.simulated ? "yes" : "no");
    say("workload", facts.workload);
    say("program", facts.program);
    say("iterations_by", facts.iterations);
  }

  void lanes() {
    constexpr Column kColumns[] = {{"lane"},
                                   {"kind", Type::Text},
                                   {"name", Type::Text},
                                   {"host", Type::Text},
                                   {"process", Type::Text},
                                   {"pid"},
                                   {"thread", Type::Text},
                                   {"tid"},
                                   {"gpu"},
                                   {"device"},
                                   {"stream"}};
    sink_.begin("lanes", kColumns);
    for (std::size_t l = 0; l < trace_.lane_count(); ++l) {
      const auto id = static_cast<LaneId>(l);
      const trace::LaneInfo& lane = trace_.lane(id).info();
      const bool gpu = trace::is_gpu_lane(lane.kind), cpu = trace::is_cpu_lane(lane.kind);
      const trace::GpuNumber owner = links_.owners().gpu_of(id);
      const Cell cells[] = {number(l),
                            key_of(lane.kind),
                            lane.name,
                            text(lane.host),
                            text(lane.process),
                            lane.pid != 0 ? Cell{lane.pid} : Cell{},
                            text(lane.thread),
                            cpu && lane.tid != 0 ? Cell{lane.tid} : Cell{},
                            owner == trace::kNobody ? Cell{} : number(owner),
                            gpu ? number(static_cast<std::uint64_t>(lane.device)) : Cell{},
                            gpu ? Cell{std::int64_t{lane.stream}} : Cell{}};
      sink_.row(cells);
    }
  }

  void events() {
    constexpr Column kColumns[] = {{"event"},
                                   {"lane"},
                                   {"kind", Type::Text},
                                   {"name", Type::Text},
                                   {"start_ns"},
                                   {"end_ns"},
                                   {"correlation"},
                                   {"launched_by"},
                                   {"bytes"},
                                   {"direction", Type::Text},
                                   {"source", Type::Text},
                                   {"destination", Type::Text},
                                   {"iteration"},
                                   {"value", Type::Real},
                                   {"file", Type::Text},
                                   {"line"},
                                   {"function", Type::Text}};
    sink_.begin("events", kColumns);
    each_event([&](const EventRef& at) {
      const Event& e = at.event;
      const bool bytes = e.kind == EventKind::Copy || e.kind == EventKind::Memset;
      const trace::CopyTraits copy = bytes ? trace::copy_traits_of(e) : trace::CopyTraits{};
      const auto call = trace::is_gpu_work(e.kind) ? links_.call_of(at) : std::nullopt;
      const Place place = call ? place_of(call->lane, call->event.start_ns) : place_of(at.lane, e.start_ns);
      const bool iteration = trace::range_kind_of(e) == trace::RangeKind::Iteration;
      const Cell cells[] = {number_of(at),
                            number(at.lane),
                            key_of(e.kind),
                            name(e.name),
                            e.start_ns,
                            e.end_ns,
                            e.correlation != 0 ? number(e.correlation) : Cell{},
                            call ? Cell{number_of(*call)} : Cell{},
                            bytes ? number(trace::bytes_of(e)) : Cell{},
                            e.kind == EventKind::Copy ? Cell{analysis::direction_key(copy.direction)} : Cell{},
                            key_of(copy.source),
                            key_of(copy.destination),
                            iteration ? number(trace::index_of(e)) : Cell{},
                            e.kind == EventKind::Counter ? Cell{trace::value_of(e)} : Cell{},
                            place.file,
                            place.line,
                            place.function};
      sink_.row(cells);
    });
  }

  void waits() {
    constexpr Column kColumns[] = {{"event"},
                                   {"lane"},
                                   {"name", Type::Text},
                                   {"start_ns"},
                                   {"end_ns"},
                                   {"own_ns"},
                                   {"waiting_ns"},
                                   {"copying_ns"},
                                   {"returning_ns"},
                                   {"waited_for"},
                                   {"file", Type::Text},
                                   {"line"},
                                   {"function", Type::Text}};
    sink_.begin("waits", kColumns);
    each_event([&](const EventRef& at) {
      const Event& e = at.event;
      const bool call = trace::is_blocking(e);
      if (!call && !trace::is_host_wait(e)) return;
      const trace::CallParts parts = call ? trace::parts_of(e) : trace::CallParts{0, e.duration(), 0, 0};
      const auto operation = call ? links_.waited_for(at) : std::nullopt;
      const Place place = place_of(at.lane, e.start_ns);
      const Cell cells[] = {number_of(at),   number(at.lane),
                            name(e.name),    e.start_ns,
                            e.end_ns,        parts.own,
                            parts.waiting,   parts.copying,
                            parts.returning, operation ? Cell{number_of(*operation)} : Cell{},
                            place.file,      place.line,
                            place.function};
      sink_.row(cells);
    });
  }

  void bubbles() {
    constexpr Column kColumns[] = {{"gpu"},
                                   {"start_ns"},
                                   {"end_ns"},
                                   {"cause", Type::Text},
                                   {"call", Type::Text},
                                   {"range", Type::Text},
                                   {"wake_ns"},
                                   {"cpu_ns"},
                                   {"launch_ns"},
                                   {"file", Type::Text},
                                   {"line"},
                                   {"function", Type::Text}};
    sink_.begin("bubbles", kColumns);
    for (std::size_t gpu = 0; gpu < analysis_.gpu_count(); ++gpu) {
      for (const analysis::Bubble& bubble : analysis_.bubbles(static_cast<trace::GpuNumber>(gpu))) {
        const Place place = bubble.call != 0 ? place_of(bubble.call_lane, bubble.call_start_ns) : Place{};
        const Cell cells[] = {number(gpu),       bubble.start_ns,    bubble.end_ns,  analysis::cause_key(bubble.cause),
                              name(bubble.call), name(bubble.range), bubble.wake_ns, bubble.cpu_ns,
                              bubble.launch_ns,  place.file,         place.line,     place.function};
        sink_.row(cells);
      }
    }
  }

 private:
  struct Place {
    Cell file, line, function;
  };

  template <typename Visit>
  void each_event(Visit visit) {
    for (std::size_t l = 0; l < trace_.lane_count(); ++l) {
      const auto id = static_cast<LaneId>(l);
      const trace::Lane& lane = trace_.lane(id);
      for (std::size_t r = 0; r < lane.row_count(); ++r) {
        const trace::Row& row = lane.row(r);
        for (EventIndex i = row.first(); i < row.last(); ++i) visit(trace::event_ref(id, r, row, i));
      }
    }
  }
  std::int64_t number_of(const EventRef& at) const {
    return first_[at.lane][at.row] + static_cast<std::int64_t>(at.index);
  }
  Cell name(base::NameId id) const { return id == 0 ? Cell{} : Cell{trace_.names().text(id)}; }
  /// Where in the user's code the lane's call that starts then was made.
  Place place_of(LaneId lane, Nanoseconds start_ns) {
    const std::uint32_t site = trace_.sites().at(lane, start_ns);
    if (site == 0) return {};
    if (site >= places_.size()) places_.resize(site + 1);
    if (!places_[site]) {
      const trace::CallSites::Stack stack = trace_.sites().stack(site);
      const trace::Frame* frame = stack.own_frame();
      if (!frame && !stack.frames.empty()) frame = &stack.frames.front();
      places_[site] =
          frame ? Place{name(frame->file), frame->line != 0 ? number(frame->line) : Cell{}, name(frame->function)}
                : Place{};
    }
    return *places_[site];
  }

  TableSink& sink_;
  const trace::Trace& trace_;
  const analysis::LiveAnalysis& analysis_;
  const trace::Links& links_;
  std::vector<std::vector<std::int64_t>> first_;  // by lane and row: the number of the event with index 0
  std::vector<std::optional<Place>> places_;      // by site
};

}  // namespace

void write_tables(TableSink& sink, const trace::Trace& trace, const analysis::LiveAnalysis& analysis,
                  const trace::RunFacts& facts) {
  const trace::Trace::ReadLock lock(trace);
  Writer writer(sink, trace, analysis);
  writer.about(facts);
  writer.lanes();
  writer.events();
  writer.waits();
  writer.bubbles();
}

// --- csv tables ------------------------------------------------------------------------------------------------------

namespace {

class CsvTables final : public TableSink {
 public:
  explicit CsvTables(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    made_ = std::filesystem::create_directory(folder_, error);
    if (!std::filesystem::is_directory(folder_)) {
      throw base::FileError(base::tr("{}: the folder for the tables cannot be made: {}", folder_.string(),
                                     error ? error.message() : base::tr("a file of that name is there")));
    }
  }
  ~CsvTables() override {
    files_.clear();
    std::error_code ignored;
    if (made_ && !committed_) std::filesystem::remove(folder_, ignored);  // empty
  }
  CsvTables(const CsvTables&) = delete;
  CsvTables& operator=(const CsvTables&) = delete;

  void begin(std::string_view table, std::span<const Column> columns) override {
    flush();
    files_.push_back(std::make_unique<AtomicFile>(folder_ / (std::string(table) + ".csv")));
    fields_.assign(columns.size(), {});
    for (std::size_t c = 0; c < columns.size(); ++c) fields_[c] = columns[c].name;
    append_csv_line(text_, fields_);
  }
  void row(std::span<const Cell> cells) override {
    for (std::size_t c = 0; c < fields_.size(); ++c) fields_[c] = std::visit(Text{}, cells[c]);
    append_csv_line(text_, fields_);
    if (text_.size() > kAtOnce) flush();
  }
  void commit() override {
    flush();
    for (const auto& file : files_) file->commit();
    committed_ = true;
  }

 private:
  static constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  struct Text {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(std::string_view text) const { return csv_text(text); }
  };
  void flush() {
    if (!files_.empty()) files_.back()->write(text_);
    text_.clear();
  }

  const std::filesystem::path folder_;
  bool made_ = false, committed_ = false;
  std::vector<std::unique_ptr<AtomicFile>> files_;
  std::vector<std::string> fields_;
  std::string text_;
};

}  // namespace

std::unique_ptr<TableSink> csv_tables(const std::filesystem::path& folder) {
  return std::make_unique<CsvTables>(folder);
}

// --- sqlite tables ---------------------------------------------------------------------------------------------------

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
