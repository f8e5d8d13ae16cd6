// Rows of events as the lists show them: time, duration, name and lane, in columns of fixed position.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "window/canvas.h"

namespace lanescope::ui {

inline constexpr float kListHeader = 20, kListRow = 20;

struct EventTable {
  const char* id;                             ///< prefix of its items and places: "ID.row.0"
  Rect area;                                  ///< without the scroll bar
  Nanoseconds origin;                         ///< times are relative to this
  std::optional<EventRef> selected, pointed;  ///< highlighted events
};

struct EventTableAnswer {
  std::optional<EventRef> hovered, clicked;
};

/// Draws the column names, and `note` at the right.
void draw_table_header(const Canvas& canvas, const EventTable& table, const std::string& note);
/// The rows below the header, from the top.
EventTableAnswer draw_table_rows(const Canvas& canvas, const EventTable& table, std::span<const EventRef> rows);
/// How many rows fit below the header.
std::size_t rows_that_fit(const Canvas& canvas, const Rect& area);
/// A scroll bar at the right of a list: `begin` and `length` of the visible part, as shares of the whole. Returns the
/// new begin while the bar is dragged.
std::optional<double> draw_scroll_bar(const Canvas& canvas, const char* id, const Rect& track, double begin,
                                      double length);
/// How many rows the wheel scrolls over an area; positive: down.
int wheel_rows(const Rect& area);
/// At the right of the tabs: the first of these texts that fits to the left of `right`.
void draw_table_note(const Canvas& canvas, float right, const std::vector<std::string>& texts);
/// Of a list of `count` lines of which some fit, `top` is the first that is visible: moved by the wheel, and by the
/// bar.
void scroll_by_wheel(const Rect& area, std::size_t fitting, std::size_t count, std::size_t& top);
void draw_lines_bar(const Canvas& canvas, const char* id, const Rect& track, std::size_t fitting, std::size_t count,
                    std::size_t& top);
/// A text field above a list; its height is given. True: it was changed, or with EnterReturnsTrue entered.
bool list_field(const Canvas& canvas, const std::string& id, const char* hint, std::string& text, const Rect& place,
                Colour border = Colour::Line, int flags = 0);

}  // namespace lanescope::ui
