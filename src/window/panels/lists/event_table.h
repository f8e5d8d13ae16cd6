// Rows of events as the lists show them: time, duration, name and lane, in columns that stand still.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "window/canvas.h"

namespace lanescope::ui {

inline constexpr float kListHeader = 20, kListRow = 20;

struct EventTable {
  const char* id;                             ///< of its items, and of its places: "ID.row.0"
  Rect area;                                  ///< without the scroll bar
  Nanoseconds origin;                         ///< times are counted from it
  std::optional<EventRef> selected, pointed;  ///< are lit
};

struct EventTableAnswer {
  std::optional<EventRef> hovered, clicked;
};

/// The names of the columns, and `note` at the right.
void draw_table_header(const Canvas& canvas, const EventTable& table, const std::string& note);
/// The rows below the header, from the top.
EventTableAnswer draw_table_rows(const Canvas& canvas, const EventTable& table, std::span<const EventRef> rows);
/// How many rows fit below the header.
std::size_t rows_that_fit(const Canvas& canvas, const Rect& area);
/// A bar at the right of a list: `begin` and `length` of what is shown, as shares of the whole. Returns where its begin
/// is dragged to.
std::optional<double> draw_scroll_bar(const Canvas& canvas, const char* id, const Rect& track, double begin,
                                      double length);
/// Rows that the wheel scrolls by over an area, down where positive.
int wheel_rows(const Rect& area);

}  // namespace lanescope::ui
