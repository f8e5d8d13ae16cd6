// The side panel: the verdict and the selection. Each function draws into the current ImGui window, which the shell has
// placed.
#pragma once

#include "model/details/event_facts.h"
#include "window/canvas.h"

namespace lanescope::ui {

void draw_details(const Canvas& canvas);
/// Below 1200 pixels of width: verdict, bar and change side by side.
void draw_verdict_band(const Canvas& canvas);
/// The model's recent figures, renewed so seldom that they can be read.
const analysis::Summary& calm_figures(ShellState& state);
/// How many times as fast the faster one of the two on the lanes is: "1.44x"; empty: not known.
std::string shown_factor(const ShellState& state);
/// All figures of the run, as a tab of the drawer.
void draw_figures(const Canvas& canvas);
void draw_event_details(const Canvas& canvas, const EventRef& event);
void draw_bubble_details(const Canvas& canvas, const analysis::Bubble& bubble);
/// The numbered path of the selection, with its arithmetic; nothing if the selection is on no path.
void draw_cause_path(const Canvas& canvas);
void draw_range_details(const Canvas& canvas);
/// The durations of the selected range, counted in bins; and the first of its events by name.
void draw_range_histogram(const Canvas& canvas);
void draw_range_names(const Canvas& canvas, std::size_t most);
/// GPU busy time and bubbles by cause, in proportion: the verdict at a glance.
void draw_share_bar(const Canvas& canvas, const analysis::Summary& summary, bool one_row = false);
struct FigureLine {
  std::string name;
  std::vector<std::string> values;  ///< of each summary
  bool operator==(const FigureLine&) const = default;
};
/// For the verdict and for a selected range; the names go by the first.
std::vector<FigureLine> figure_lines(std::span<const analysis::Summary* const> summaries);

// Lines of the side panel that can be copied.

/// Name on the left, value on the right; a value that is too long is cut, and its tooltip has all of it. A click copies
/// the value, or goes to the event that the line is about.
void fact_line(const Canvas& canvas, const Fact& fact);
void fact_lines(const Canvas& canvas, const std::vector<Fact>& facts);
/// The name of what is selected: the short one, and below it the whole one if that differs. A click copies the whole.
void copyable_title(const Canvas& canvas, const std::string& title, const std::string& short_title, Colour colour);
/// "SELECTED", and at the right what copies all of it.
void selection_heading(const Canvas& canvas);

}  // namespace lanescope::ui
