// The titles of a table's columns, by which it is sorted.
#pragma once

#include <optional>
#include <string>

#include "window/canvas.h"

namespace lanescope::ui {

struct ColumnTitle {
  const char* text;
  const char* tip;  ///< null: none
  Rect place;
  float inset = 0;  ///< from its left
  LabelAlign align = LabelAlign::Right;
  std::optional<bool> ascending{};  ///< if the table is sorted by it
};
/// True: it was pressed.
bool draw_column_title(const Canvas& canvas, const std::string& id, const ColumnTitle& title);

}  // namespace lanescope::ui
