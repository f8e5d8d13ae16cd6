#include <fmt/format.h>

#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/translate.h"
#include "io/atomic_file.h"
#include "io/csv_text.h"
#include "io/tables.h"

namespace lanescope::io {
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

}  // namespace lanescope::io
