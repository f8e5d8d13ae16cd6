// The run: the top and bottom bars, knobs, devices, capture health. Each function draws into the current ImGui window,
// which the shell has placed.
#pragma once

#include <imgui.h>

#include "attach/program_state.h"
#include "io/reading.h"
#include "window/canvas.h"

namespace lanescope::ui {

/// Whether the window is narrow and taller than wide, as on a telephone or a turned tablet: what lies side by side
/// elsewhere has no room. `scale`: pixels per unscaled pixel.
bool is_upright(float scale);
/// In pixels: two rows in an upright window.
float top_bar_height(float scale);
/// Wide enough for a right column.
bool is_wide(float scale);
void draw_top_bar(const Canvas& canvas);
/// The switch of the two that are on the lanes; nothing if there is one only.
void draw_side_switch(const Canvas& canvas, const Rect& place, FontRole role);
float switch_width(const Canvas& canvas, float most);
/// The row of knobs, of a live run; its height is 0 otherwise.
void draw_knob_row(const Canvas& canvas);
float knob_row_height(const Canvas& canvas);
/// The knobs of a watched program between these edges: each with its trial, or how to get some.
void draw_program_knobs(const Canvas& canvas, float left, float right, float y, float height);
void draw_trigger_chip(const Canvas& canvas, float right, float y, float height);
void draw_knobs(const Canvas& canvas);
/// The same for a program of the user's: its state, its loop, and how much of it is recorded.
void draw_watched_program(const Canvas& canvas);
/// What a level records and what that costs, in words.
std::string level_text(wire::Level level);
/// One knob of the run; its hint says why it has no effect, if so.
void draw_knob(const Canvas& canvas, const workload::Settings& settings, const workload::SettingSpec& spec);
/// The list of workloads, for use without an experiment.
void draw_workload_choice(const Canvas& canvas);
/// Figures that only the workload itself knows: its stopwatch, the host memory its batches take.
void draw_own_figures(const Canvas& canvas);
void draw_status_bar(const Canvas& canvas);
/// The height of the bar over the timeline if the run has failed; otherwise 0.
float notice_height(const ShellState& state);
void draw_notice(const Canvas& canvas);
/// Over the lanes, which do not move: what an earlier start has left.
void draw_offer(const Canvas& canvas);
/// Drawn over everything while a file is read: the progress, and how to cancel.
void draw_opening(const Canvas& canvas);
/// The badge, which opens the device menu; its right edge is at `right`. Returns its left edge.
float draw_badge(const Canvas& canvas, float right, float y);
/// The capture health panel.
void draw_health(const Canvas& canvas);
/// "1x", "1/100 x".
std::string speed_text(double speed);
extern const std::array<double, 4> kSpeeds;

// The picture of a file that is still being read: what has come so far, coarsely.

/// How high the picture is in a window of this height; 0 if there is nothing to draw yet.
float first_picture_height(const Canvas& canvas, const io::FirstPicture::Snapshot& look);
/// One strip for each lane, as in the trace: threads above, GPUs below. If there is no room for all, the fullest.
/// `all_read`: no event will be added.
void draw_first_picture(const Canvas& canvas, ImDrawList& list, const Rect& at, const io::FirstPicture::Snapshot& look,
                        bool all_read);

}  // namespace lanescope::ui
