#include "io/sqlite.h"

#include <sqlite3.h>

#include <algorithm>
#include <system_error>

#include "base/translate.h"

namespace lanescope::io::sqlite {
namespace {

constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};
constexpr int kStepsBetweenChecks = 20'000;  // of SQLite's virtual machine: well under a millisecond
constexpr int kMaxValueBytes = 64 << 20;
constexpr int kMaxSqlBytes = 1 << 20;
constexpr std::size_t kMaxTables = 10'000;
constexpr const char* kTakeRow = "lanescope_take_row";
constexpr std::size_t kBatchesAhead = 4, kBatchRows = 1024, kBatchTextBytes = 1 << 20;

std::string in_quotes(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

// As a URI, because only that can say that nobody writes the file, so that no lock is needed. An empty host keeps a
// path that begins with two slashes from being taken for one.
std::string uri_of(const std::filesystem::path& path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char c : std::filesystem::absolute(path).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte >= 0x7F || c == '?' || c == '#' || c == '%') {
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

int stop_requested(void* progress) {
  return static_cast<const ReadProgress*>(progress)->cancelled.load(std::memory_order_relaxed) ? 1 : 0;
}

}  // namespace

bool is_database(std::string_view beginning) {
  const std::size_t known = std::min(beginning.size(), kSqliteMagic.size());
  return known >= 8 && beginning.substr(0, known) == kSqliteMagic.substr(0, known);
}

void CloseDatabase::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
void EndStatement::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

Database::Database(const std::filesystem::path& path, const ByteSource& source, const ReadProgress& progress)
    : source_(source), progress_(progress) {
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open_v2(uri_of(path).c_str(), &handle,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (opened != SQLITE_OK) fail(opened);
  // What a hostile schema could make SQLite do instead of reading: views, functions in generated columns, huge values.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, kMaxSqlBytes);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_progress_handler(handle, kStepsBetweenChecks, stop_requested, const_cast<ReadProgress*>(&progress));
  step(prepare("PRAGMA cell_size_check = ON").get());
  // SQLite itself takes what is missing of the last page for zeros.
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
  const auto pages = static_cast<std::uintmax_t>(value_of("PRAGMA page_count"));
  if (!unknown && bytes < pages * static_cast<std::uintmax_t>(value_of("PRAGMA page_size"))) fail(SQLITE_CORRUPT);

  std::vector<std::string> names;
  const StatementHandle all =
      prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name");
  while (names.size() < kMaxTables && step(all.get())) {
    const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(all.get(), 0));
    if (name != nullptr) names.emplace_back(name);
  }
  for (const std::string& name : names) {
    const StatementHandle columns = prepare("PRAGMA table_info(" + in_quotes(name) + ")");
    std::vector<std::string>& known = tables_[name];
    while (step(columns.get())) {
      const auto* column = reinterpret_cast<const char*>(sqlite3_column_text(columns.get(), 1));
      if (column != nullptr) known.emplace_back(column);
    }
  }
}

bool Database::has(std::string_view table, std::string_view column) const {
  const auto found = tables_.find(table);
  return found != tables_.end() && std::ranges::find(found->second, column) != found->second.end();
}

std::int64_t Database::last_row(std::string_view table) const {
  if (!has(table)) return 0;
  return std::max<std::int64_t>(0, value_of("SELECT max(rowid) FROM " + in_quotes(table)));
}

std::int64_t Database::count(std::string_view table) const {
  if (!has(table)) return 0;
  return value_of("SELECT count(*) FROM " + in_quotes(table));
}

std::int64_t Database::value_of(const std::string& sql) const {
  const StatementHandle one = prepare(sql);
  return step(one.get()) ? sqlite3_column_int64(one.get(), 0) : 0;
}

StatementHandle Database::prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v2(handle_.get(), sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  StatementHandle owned(statement);
  if (result != SQLITE_OK) fail(result);
  return owned;
}

bool Database::step(sqlite3_stmt* statement) const {
  const int result = sqlite3_step(statement);
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) fail(result);
  return false;
}

void Database::set_function(const char* name, void (*function)(sqlite3_context*, int, sqlite3_value**),
                            void* argument) const {
  const int result = sqlite3_create_function_v2(handle_.get(), name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, argument,
                                                function, nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) fail(result);
}

void Database::interrupt() const { sqlite3_interrupt(handle_.get()); }

void Database::fail(int code) const {
  using base::tr;
  if (progress_.cancelled.load(std::memory_order_relaxed)) throw Cancelled("");
  switch (code & 0xFF) {
    case SQLITE_NOMEM:
      source_.fail(tr("cannot read: out of memory"));
    case SQLITE_NOTADB:
      source_.fail(tr("not an SQLite database, or its beginning is damaged"));
    case SQLITE_CORRUPT:
      source_.fail(tr("the database is truncated or damaged"));
    case SQLITE_TOOBIG:
      source_.fail(tr("the database has a value of more than 64 MB"));
    default: {
      std::string why = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
      std::ranges::replace_if(
          why, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
      source_.fail(tr("the database cannot be read: {}", why.substr(0, 200)));
    }
  }
}

Rows::Rows(const Database& database, std::string_view table, const std::vector<std::string_view>& columns)
    : database_(database) {
  if (!database.has(table)) return;
  std::string sql;
  for (const std::string_view column : columns) {
    sql += sql.empty() ? "SELECT " : ", ";
    sql += database.has(table, column) ? in_quotes(column) : "NULL";
  }
  statement_ = database.prepare(sql + " FROM " + in_quotes(table));
}

bool Rows::is_integer(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER; }
bool Rows::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
std::int64_t Rows::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
double Rows::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string_view Rows::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

RowsAhead::RowsAhead(const Database& database, std::string_view table, const std::vector<Column>& columns,
                     Threads threads)
    : database_(database), columns_(columns.size()) {
  ended_ = !database.has(table);
  if (ended_) return;
  std::string known;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!database.has(table, columns[i].name)) continue;
    (known += known.empty() ? "" : ", ") += in_quotes(columns[i].name);
    selected_.emplace_back(i, columns[i].as);
  }
  // A condition that only looks at each row, and is met when the batch is full: cheaper than a step for each row and a
  // call for each of its columns. Without indices, which have another order.
  database.set_function(kTakeRow, take_row, this);
  statement_ =
      database.prepare("SELECT 1 FROM " + in_quotes(table) + " NOT INDEXED WHERE " + kTakeRow + "(" + known + ")");
  producer_ = std::make_unique<Producer<Batch>>(threads, kBatchesAhead, [this](Batch& batch) { return fill(batch); });
}

RowsAhead::~RowsAhead() {
  if (producer_ && !ended_) database_.interrupt();
}

bool RowsAhead::next_batch() {
  if (ended_) return false;
  row_ = 0;
  std::optional<Batch> batch = producer_->next(std::move(batch_));
  ended_ = !batch;
  batch_ = ended_ ? Batch() : std::move(*batch);
  return !ended_;
}

bool RowsAhead::fill(Batch& batch) {
  batch.rows = 0;
  batch.texts.clear();
  batch.cells.resize(kBatchRows * columns_);  // cells of columns that are not there stay empty
  filling_ = &batch;
  // Another step after the end would begin anew.
  if (!stepped_through_) stepped_through_ = !database_.step(statement_.get());
  return batch.rows > 0;
}

void RowsAhead::take_row(sqlite3_context* context, int, sqlite3_value** values) {
  try {
    sqlite3_result_int(context, static_cast<RowsAhead*>(sqlite3_user_data(context))->take_row(values) ? 1 : 0);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

bool RowsAhead::take_row(sqlite3_value** values) {
  Batch& batch = *filling_;
  Cell* const row = batch.cells.data() + batch.rows * columns_;
  for (const auto& [place, as] : selected_) {
    Cell& cell = row[place];
    sqlite3_value* const value = *values++;
    const int type = sqlite3_value_type(value);
    cell.type = type == SQLITE_NULL      ? Cell::Type::Null
                : type == SQLITE_INTEGER ? Cell::Type::Integer
                                         : Cell::Type::Other;
    if (as == As::Integer) {
      cell.integer = sqlite3_value_int64(value);
    } else if (as == As::Real) {
      cell.real = sqlite3_value_double(value);
    } else {
      const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
      const std::size_t size = text == nullptr ? 0 : static_cast<std::size_t>(sqlite3_value_bytes(value));
      cell.text = {static_cast<std::uint32_t>(batch.texts.size()), static_cast<std::uint32_t>(size)};
      if (size > 0) batch.texts.append(text, size);
    }
  }
  return ++batch.rows == kBatchRows || batch.texts.size() >= kBatchTextBytes;
}

}  // namespace lanescope::io::sqlite
