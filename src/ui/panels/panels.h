// The parts of the window. Each draws into the ImGui window that is current, which the shell has placed.
#pragma once

#include "ui/shell_state.h"

namespace lanescope::ui {

void draw_top_bar(const Canvas& canvas);
void draw_knobs(const Canvas& canvas);
/// The current experiment: its texts, its switch, its knob, its figures.
void draw_experiment(const Canvas& canvas);
/// One knob of the run; its hint says why when it has no effect.
void draw_knob(const Canvas& canvas, const workload::Settings& settings, const workload::SettingSpec& spec);
/// The list of workloads, for free play without an experiment.
void draw_workload_choice(const Canvas& canvas);
/// A long button that opens the gallery.
void draw_gallery_button(const Canvas& canvas);
/// What only the workload itself can tell: its stopwatch, the host memory its batches take.
void draw_own_figures(const Canvas& canvas);
/// Over everything: all experiments.
void draw_gallery(const Canvas& canvas);
/// A published number's quality, "estimate", in its colour.
Colour quality_colour(experiment::Quality quality);
/// The tutorial's errors in a box; `open` unfolds what is longer than a few lines, empty: all of it is shown.
void draw_correction(const Canvas& canvas, const std::string& says, bool* open);
void draw_timeline(const Canvas& canvas);
/// The mouse over the timeline, right after its item: wheel, drags, clicks. `overflow`: how far it can be scrolled.
void handle_gestures(const Canvas& canvas, const TimelineFrame& frame, const Rect& area, float overflow);
/// What a drag does, where a person has gone to, and where the run is when it is not in view; over the lanes.
void add_navigation(const Canvas& canvas, const MarkSurface& surface);
/// A line at this instant, which fades: here it is.
void flash_arrival(ShellState& state, Nanoseconds at);
/// The mouse over rulers, bookmarks and notes, right after the timeline's item; true when it means one of them.
bool handle_mark_gestures(const Canvas& canvas);
/// The field in which a note's text is typed.
void draw_note_editor(const Canvas& canvas);
/// The mouse over the lanes' names, right after the timeline's item; true while it holds one of them.
bool handle_lane_gestures(const Canvas& canvas, const Rect& area, float overflow);
/// The lanes' names: their menu, their handles, what is dragged.
void handle_lane_names(const Canvas& canvas, const Rect& area);
void draw_event_tooltip(const Canvas& canvas, const TimelineHit& hit);
void draw_pinned_tooltips(const Canvas& canvas);
/// What belongs to the selection and to what the mouse points at, when either has changed.
void update_causes(ShellState& state);
void draw_plots(const Canvas& canvas);
/// The lower part of the middle: plots, or one of the lists, with the tabs between which a person chooses.
void draw_drawer(const Canvas& canvas);
void draw_event_list(const Canvas& canvas);
void draw_found(const Canvas& canvas);
void draw_marks_list(const Canvas& canvas);
/// The whole run in a strip, with the view's window on it.
void draw_minimap(const Canvas& canvas);
float minimap_height(const ShellState& state);
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
void draw_status_bar(const Canvas& canvas);
/// What the bar over the timeline needs when the run has failed; else 0.
float notice_height(const ShellState& state);
void draw_notice(const Canvas& canvas);
/// Over everything, while a file is read: how far it is, and how to stop it.
void draw_opening(const Canvas& canvas);
/// The badge, which opens the device menu, up to `right`; returns its left edge.
float draw_badge(const Canvas& canvas, float right, float y);
/// The capture health panel.
void draw_health(const Canvas& canvas);
/// The sweep panel, when it is open.
void draw_sweep(const Canvas& canvas);
// Over everything, when they are open: each draws nothing otherwise.
void draw_go_to(const Canvas& canvas);
void draw_trigger_panel(const Canvas& canvas);
/// The flag on the ruler; before the timeline's own item, so that a press on it is not one on the ruler.
void handle_trigger_flag(const Canvas& canvas, const Rect& area);
/// Of an averaged event, or of how often a lane was busy at the mouse.
void draw_average_tooltip(const Canvas& canvas);
void add_trigger_flag(const MarkSurface& surface, const ShellState& state);
void draw_picture_panel(const Canvas& canvas);
void draw_palette(const Canvas& canvas);
void draw_keys_panel(const Canvas& canvas);
/// The button that opens the menu, at the cursor, and the menu below it.
void draw_menu_button(const Canvas& canvas);
void draw_menu(const Canvas& canvas);
// What is open takes arrows, Enter and Escape: true when it took this key.
bool menu_key(ShellState& state, KeyChord chord);
bool palette_key(ShellState& state, KeyChord chord);
/// A window over everything, that nothing behind it can be hit, with a box drawn in it; ends with ImGui::End(). True
/// when it was clicked beside the box.
bool begin_sheet(const Canvas& canvas, const char* id, const Rect& box, bool shade = true);
/// A window in the middle, over everything, of its content's size.
void begin_overlay(const Canvas& canvas, const char* id);
void end_overlay();
/// Over everything: the list of keys, the first start's hints, the toast.
void draw_overlays(const Canvas& canvas);

/// The divider between the timeline and what is below it; `share` is the timeline's of `room` as it is.
void draw_divider(const Canvas& canvas, const Rect& area, float top, float room);
/// Presentation: what stands over and under the lanes.
float presentation_height(const Canvas& canvas);
void draw_presentation_top(const Canvas& canvas);
void draw_presentation_bar(const Canvas& canvas);

/// What the plots need at least of the middle column's height.
float plots_least_height(const ShellState& state, float middle_height);
/// The frame that Timeline wants, from what the shell knows.
TimelineFrame timeline_frame(const Canvas& canvas);
/// Selects an event and what belongs to it; the view stands still from then on.
void select_event(ShellState& state, const EventRef& event);
/// Selects a stretch of time and begins to work out its figures.
void select_range(ShellState& state, Nanoseconds from, Nanoseconds to);
/// The figures as lines of name and value: for the verdict and for a selected stretch.
std::vector<std::pair<std::string, std::string>> figure_lines(const analysis::Summary& summary);
/// "1x", "1/100 x".
std::string speed_text(double speed);
extern const std::array<double, 4> kSpeeds;

}  // namespace lanescope::ui
