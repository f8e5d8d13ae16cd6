// The rows of the plots, as drawn in one frame.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "timeline/plot_catalogue.h"
#include "window/canvas.h"

namespace lanescope::ui {

struct PlotRow {
  PlotInfo info;
  Rect box;  ///< including its name
  std::vector<PlotColumn> columns;
  GhostColumns ghost;
  double low = 0, high = 1;
  bool logarithmic = false;

  /// The curve's place inside the box.
  float top(float scale) const { return box.y + 3 * scale; }
  float height(float scale) const { return box.height - 4 * scale; }
  /// The screen position of a value, within the curve's box.
  float y_of(double value, float scale) const;
};

struct PlotRows {
  TimeAxis axis;
  bool same_axis = false;  ///< `axis` is the timeline's
  std::vector<PlotRow> rows;
  std::size_t chosen = 0;  ///< number of chosen plots, including those that do not fit
  Rect area;               ///< of all rows
  Nanoseconds present_begin = 0;
};

/// The heights of rows with these shares of `height`, each at least `least`; as many of the first rows as fit.
std::vector<float> row_heights(const std::vector<float>& shares, float height, float least);
/// What the mouse can grab at a point.
PlotGrip grip_at(const PlotRows& rows, float x, float y, float scale);

/// Determines the rows, with their places, curves and scales.
PlotRows prepare_rows(const Canvas& canvas, const TimeAxis& axis, bool same_axis, const Rect& area);
void draw_rows(const Canvas& canvas, const PlotRows& rows);
/// Handles dragging of names and dividers, the wheel, and the x. Call after draw_rows(), over its area.
void handle_plot_gestures(const Canvas& canvas, const PlotRows& rows);
/// The cross-line and the values at it.
void draw_plot_hover(const Canvas& canvas, const PlotRows& rows);
/// Opened by the + or a right click.
void draw_plot_menu(const Canvas& canvas, const std::vector<PlotInfo>& catalogue);
/// The current value of a row.
double newest_value(const ShellState& state, const PlotInfo& info);
/// Saves the choice of plots after a change.
void remember_choice(ShellState& state);
/// True for a run, or a file with iterations; other files may still have counters.
bool has_iteration_plots(const ShellState& state);
bool has_plots(const ShellState& state);
bool shows_ghost(const ShellState& state);
/// Whether it is chosen and, unless the user asked for it, has data.
bool shows_plot(const ShellState& state, const std::string& key);
std::size_t shown_plot_count(const ShellState& state);

}  // namespace lanescope::ui
