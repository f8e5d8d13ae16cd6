// The timeline: lanes, mouse input on them, and marks at instants. Each function draws into the current ImGui window,
// which the shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

void draw_timeline(const Canvas& canvas);
/// Handles the mouse over the timeline, right after its item: wheel, drags, clicks.
void handle_gestures(const Canvas& canvas, const TimelineFrame& frame, const Rect& area);
/// Draws over the lanes: what a drag does, where a jump arrived, and where the run is if it is out of view.
void add_navigation(const Canvas& canvas, const MarkSurface& surface);
/// Handles the mouse over rulers, bookmarks and notes, right after the timeline's item; true if it targets one of them.
bool handle_mark_gestures(const Canvas& canvas);
/// The text field of a note.
void draw_note_editor(const Canvas& canvas);
/// Handles the mouse over the lane names, right after the timeline's item; true while it holds one of them.
bool handle_lane_gestures(const Canvas& canvas, const Rect& area);
/// The lane names: their menu, their icons, and the dragged name.
void handle_lane_names(const Canvas& canvas, const Rect& area);
/// ImGui::BeginTooltip(), but below the lane that the tooltip is about, or above it. Its texts are to be no wider than
/// tooltip_room().
void begin_lane_tooltip(const Canvas& canvas, const std::optional<Rect>& lane);
float tooltip_room(const Canvas& canvas);
void draw_event_tooltip(const Canvas& canvas, const TimelineHit& hit);
void draw_pinned_tooltips(const Canvas& canvas);
/// The bands of several GPUs, above the timeline.
void draw_job(const Canvas& canvas);
/// At most half of `room`; 0: there is nothing to show.
float job_height(const Canvas& canvas, float room);
/// The map of a job of many ranks, which takes the place of the lanes; and who is late, beside it.
void draw_job_map(const Canvas& canvas);
void draw_job_findings(const Canvas& canvas);
/// The other side below the lanes, with the bracket above it; nothing while it is not measured. Its height, of `room`
/// for both; 0: nothing is compared, or there is no room.
float ghost_height(const Canvas& canvas, float room);
void draw_ghost(const Canvas& canvas, const Rect& area);
/// What the shown side is, in a word: "BEFORE"; empty: nothing is compared.
std::string shown_tag(const ShellState& state);
/// A word in a box.
void draw_tag(const Canvas& canvas, float x, float y, const std::string& says);
/// A tick for each of the last iterations.
inline constexpr std::size_t kLastIterations = 100;
float last_iterations_height(const ShellState& state);
void draw_last_iterations(const Canvas& canvas);
/// The overview strip of the whole run, with the view's window on it.
void draw_minimap(const Canvas& canvas);
float minimap_height(const ShellState& state, bool room);
/// Drawn over everything while open.
void draw_go_to(const Canvas& canvas);
bool go_to_key(ShellState& state, KeyChord chord);
void draw_trigger_panel(const Canvas& canvas);
/// The tooltip of an averaged event, or of how often a lane was busy at the mouse.
void draw_average_tooltip(const Canvas& canvas);
/// A card with what the colours say; nothing while it is closed.
void draw_colour_legend(const Canvas& canvas);
/// The TimelineFrame for the current state.
TimelineFrame timeline_frame(const Canvas& canvas);

}  // namespace lanescope::ui
