// Shared by the files for the lane names.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// The screen positions of rows and groups in the name column.
struct NameArea {
  Rect area;  ///< area of the timeline
  float scale = 1;

  float left() const { return area.x; }
  float right() const { return area.x + Timeline::kLabelWidth * scale; }
  float top() const { return area.y + Timeline::kRulerHeight * scale; }
  float bottom() const { return area.y + area.height; }
  /// The small icons of a row: fold (left of the name), pin and hide (at the right end).
  Rect fold_mark(const Rect& row) const;
  Rect pin_mark(const Rect& row) const;
  Rect hide_mark(const Rect& row) const;
  Rect note() const;  ///< "3 lanes hidden · show"
};

/// The width of a group's heading, from the timeline's left edge.
float heading_width(const Canvas& canvas, const HeadingPlace& heading);
/// Where a press means the heading.
Rect heading_target(const Canvas& canvas, const HeadingPlace& heading);
/// Opens the menu of a row, or of the selected event on it; draw_lane_menu() draws it.
void open_lane_menu(const Canvas& canvas, const std::string& key, bool of_selection = false);
/// One line of these menus: what it does, its key at the right edge, a dot if it is on. A click closes the menu, unless
/// it `leads_on`.
bool menu_item(const Canvas& canvas, const char* id, const std::string& says, const std::string& keys, bool on = false,
               bool possible = true, bool leads_on = false);
void menu_line(const Canvas& canvas);
inline constexpr float kMenuWidth = 290;
/// The entries for the selected event or bubble; true if the lane's own entries are wanted instead.
bool draw_selection_menu(const Canvas& canvas, const LanePlace& lane);
void draw_lane_menu(const Canvas& canvas);
/// A tooltip under the mouse: "CUDA calls" and what can be done with the lane.
void lane_tooltip(const Canvas& canvas, const std::string& title, const std::string& says);

}  // namespace lanescope::ui
