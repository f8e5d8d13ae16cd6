// Figures under each other: numbers aligned at the decimal point, units to their right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/terminal.h"
#include "app/text_layout.h"

namespace lanescope::app {

/// "268.4", "µs", "52.2 %". All may be empty.
struct Cell {
  std::string number, unit, note;
};
/// "268.4 µs" as format_duration() and format_bytes() write it, split at its space.
Cell measured(const std::string& number_and_unit, std::string note = {});

class Table {
 public:
  /// A title over each column of figures, and one more over the remarks, if any.
  void titles(std::vector<std::string> titles) { titles_ = std::move(titles); }
  /// The remark stands behind the last column.
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

/// A term and what is to be said of it, each paragraph on lines of its own beside the terms.
struct Definition {
  std::string term;
  std::vector<std::string> paragraphs;
};
std::string definition_list(const std::vector<Definition>& definitions, std::size_t width, const Style& style);

}  // namespace lanescope::app
