// The rows of the plots, as they are drawn in one frame.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "timeline/plot_catalogue.h"
#include "window/canvas.h"

namespace lanescope::ui {

struct PlotRow {
  PlotInfo info;
  Rect box;  ///< with its name
  std::vector<PlotColumn> columns;
  GhostColumns ghost;
  double low = 0, high = 1;
  bool logarithmic = false;

  /// Of the curve, inside the box.
  float top(float scale) const { return box.y + 3 * scale; }
  float height(float scale) const { return box.height - 4 * scale; }
  /// Where a value stands on the screen, within the curve's box.
  float y_of(double value, float scale) const;
};

struct PlotRows {
  TimeAxis axis;
  bool same_axis = false;  ///< it is the timeline's
  std::vector<PlotRow> rows;
  std::size_t chosen = 0;  ///< how many there are with those that have no room
  Rect area;               ///< of all rows
  Nanoseconds present_begin = 0;
};

/// The heights of rows with these shares of `height`, none below `least`; the first ones that fit.
std::vector<float> row_heights(const std::vector<float>& shares, float height, float least);
/// What can be taken at a point.
PlotGrip grip_at(const PlotRows& rows, float x, float y, float scale);

/// Which rows there are, their places, curves and scales.
PlotRows prepare_rows(const Canvas& canvas, const TimeAxis& axis, bool same_axis, const Rect& area);
void draw_rows(const Canvas& canvas, const PlotRows& rows);
/// Dragging names and dividers, the wheel, the x. After draw_rows(), over its area.
void handle_plot_gestures(const Canvas& canvas, const PlotRows& rows);
/// The cross-line, and the values there.
void draw_plot_hover(const Canvas& canvas, const PlotRows& rows);
/// Opened by the + or a right click.
void draw_plot_menu(const Canvas& canvas, const std::vector<PlotInfo>& catalogue);
/// What a row says now.
double newest_value(const ShellState& state, const PlotInfo& info);
/// After a change of the choice: it is remembered.
void remember_choice(ShellState& state);
/// Of a run, or of a file with iterations; another file may still have counters.
bool has_iteration_plots(const ShellState& state);
bool has_plots(const ShellState& state);
bool shows_ghost(const ShellState& state);

}  // namespace lanescope::ui
