// Columns of figures: numbers aligned at the decimal point, followed by their units.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/terminal_output.h"

namespace lanescope::app {

/// "268.4", "µs", "52.2 %". All may be empty.
struct Cell {
  std::string number, unit, note;
};
/// Splits a text of format_duration() or format_bytes() at its space: "268.4 µs".
Cell measured(const std::string& number_and_unit, std::string note = {});

class Table {
 public:
  /// Titles of the columns of figures, and optionally one for the remarks.
  void titles(std::vector<std::string> titles) { titles_ = std::move(titles); }
  /// The remark comes after the last column.
  void row(std::string label, std::vector<Cell> cells, std::string remark = {});
  void gap();  ///< an empty line
  std::string text(const Style& style) const;

 private:
  struct Row {
    std::string label;
    std::vector<Cell> cells;
    std::string remark;
  };
  std::vector<std::string> titles_;
  std::vector<Row> rows_;
};

/// A term with paragraphs, which are printed beside it, each on its own lines.
struct Definition {
  std::string term;
  std::vector<std::string> paragraphs;
};
std::string definition_list(const std::vector<Definition>& definitions, std::size_t width, const Style& style);

}  // namespace lanescope::app
