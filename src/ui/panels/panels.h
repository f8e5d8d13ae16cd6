// The parts of the window. Each draws into the ImGui window that is current, which the shell has placed.
#pragma once

#include "ui/shell_state.h"

namespace lanescope::ui {

void draw_top_bar(const Canvas& canvas);
void draw_knobs(const Canvas& canvas);
/// The experiment that runs: its story, its switch, its knob, its figures.
void draw_experiment(const Canvas& canvas);
/// One knob of the run; its hint says why when it has no effect.
void draw_knob(const Canvas& canvas, const workload::Settings& settings, const workload::SettingSpec& spec);
/// The list of workloads, for those who want to play without a story.
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
/// The lanes' names: their menu, dragging them, their handles.
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
void draw_range_details(const Canvas& canvas);
/// Busy and the bubbles by cause, in proportion: the verdict at a glance.
void draw_share_bar(const Canvas& canvas, const analysis::Summary& summary);
Colour verdict_colour(analysis::VerdictKind kind);
void draw_status_bar(const Canvas& canvas);
/// What the bar over the timeline needs when the run has failed; else 0.
float notice_height(const ShellState& state);
void draw_notice(const Canvas& canvas);
/// The badge, which opens the device menu, up to `right`; returns its left edge.
float draw_badge(const Canvas& canvas, float right, float y);
/// The capture health panel.
void draw_health(const Canvas& canvas);
/// The sweep panel, when it is open.
void draw_sweep(const Canvas& canvas);
// Over everything, when they are open: each draws nothing otherwise.
void draw_go_to(const Canvas& canvas);
void draw_trigger_panel(const Canvas& canvas);
void draw_picture_panel(const Canvas& canvas);
void draw_palette(const Canvas& canvas);
void draw_keys_panel(const Canvas& canvas);
/// A window in the middle, over everything, of its content's size.
void begin_overlay(const Canvas& canvas, const char* id);
void end_overlay();
/// Over everything: the list of keys, the first start's hints, the toast.
void draw_overlays(const Canvas& canvas);

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
