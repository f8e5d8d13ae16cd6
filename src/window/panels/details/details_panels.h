// The side panel: the verdict, and what is selected. Each draws into the ImGui window that is current,
// which the shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

void draw_details(const Canvas& canvas);
void draw_event_details(const Canvas& canvas, const EventRef& event);
void draw_bubble_details(const Canvas& canvas, const analysis::Bubble& bubble);
/// The numbered path of the selection, with its arithmetic; nothing when it is on none.
void draw_cause_path(const Canvas& canvas);
void draw_range_details(const Canvas& canvas);
/// The durations of the selected stretch, counted in bins; and what a person has selected, name by name: the first
/// lines for the side panel, all of it with all columns for the lower part of the middle.
void draw_range_histogram(const Canvas& canvas);
void draw_range_names(const Canvas& canvas, std::size_t most);
void draw_statistics(const Canvas& canvas);
/// The three figures of a verdict, large and side by side; nothing where it has none, unless it is still measured.
void draw_verdict_figures(const Canvas& canvas, const analysis::Verdict& verdict, bool measuring);
/// Busy and the bubbles by cause, in proportion: the verdict at a glance.
void draw_share_bar(const Canvas& canvas, const analysis::Summary& summary);
Colour verdict_colour(analysis::VerdictKind kind);
/// The figures as lines of name and value: for the verdict and for a selected stretch.
std::vector<std::pair<std::string, std::string>> figure_lines(const analysis::Summary& summary);

}  // namespace lanescope::ui
