// The timeline: lanes, what the mouse does to them, and what belongs to moments of it. Each draws into the ImGui window
// that is current, which the shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

void draw_timeline(const Canvas& canvas);
/// The mouse over the timeline, right after its item: wheel, drags, clicks. `overflow`: how far it can be scrolled.
void handle_gestures(const Canvas& canvas, const TimelineFrame& frame, const Rect& area, float overflow);
/// What a drag does, where a person has gone to, and where the run is when it is not in view; over the lanes.
void add_navigation(const Canvas& canvas, const MarkSurface& surface);
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
/// The whole run in a strip, with the view's window on it.
void draw_minimap(const Canvas& canvas);
float minimap_height(const ShellState& state);
/// Over everything, when it is open.
void draw_go_to(const Canvas& canvas);
void draw_trigger_panel(const Canvas& canvas);
/// The flag on the ruler; before the timeline's own item, so that a press on it is not one on the ruler.
void handle_trigger_flag(const Canvas& canvas, const Rect& area);
/// Of an averaged event, or of how often a lane was busy at the mouse.
void draw_average_tooltip(const Canvas& canvas);
void add_trigger_flag(const MarkSurface& surface, const ShellState& state);
/// The divider between the timeline and what is below it; `share` is the timeline's of `room` as it is.
void draw_divider(const Canvas& canvas, const Rect& area, float top, float room);
/// The frame that Timeline wants, from what the shell knows.
TimelineFrame timeline_frame(const Canvas& canvas);

}  // namespace lanescope::ui
