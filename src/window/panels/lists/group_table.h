// Lines of events by name (analysis/event_groups.h) in columns, sorted by any of them: the statistics, and the names of
// a selected range.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/event_groups.h"
#include "window/canvas.h"

namespace lanescope::ui {

struct GroupColumnPlace {
  analysis::GroupColumn column;
  const char* title;
  const char* tip;  ///< null: none
  float right = 0, width = 0;

  float x() const { return right - width; }
};

struct GroupTable {
  std::string id;  ///< prefix of its items and places: "range.row.0"
  std::vector<GroupColumnPlace> columns;
  Rect area;  ///< of the titles and the lines below them
  base::Nanoseconds elapsed = 1;
  bool exact = true;
  float name_inset = 0, name_room = 0;  ///< the name begins after its swatch, and leaves room at the right
  std::function<void(const analysis::EventGroup&, float x, float y)> swatch;  ///< y: of the line
  std::function<std::string(const analysis::EventGroup&)> tooltip;            ///< below the name
};

inline constexpr float kGroupRow = 20;

std::string group_cell(const analysis::EventGroup& group, analysis::GroupColumn column, base::Nanoseconds elapsed,
                       const char* about);
/// A press sorts by that column, or turns the order round.
void draw_group_titles(const Canvas& canvas, const GroupTable& table, analysis::GroupOrder& order);
/// A press on a line searches for its name.
void draw_group_lines(const Canvas& canvas, const GroupTable& table, std::span<const analysis::EventGroup> lines);

}  // namespace lanescope::ui
