// The run: the bars over and under the window, knobs, devices, capture health. Each draws into the ImGui window
// that is current, which the shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

void draw_top_bar(const Canvas& canvas);
void draw_knobs(const Canvas& canvas);
/// One knob of the run; its hint says why when it has no effect.
void draw_knob(const Canvas& canvas, const workload::Settings& settings, const workload::SettingSpec& spec);
/// The list of workloads, for free play without an experiment.
void draw_workload_choice(const Canvas& canvas);
/// What only the workload itself can tell: its stopwatch, the host memory its batches take.
void draw_own_figures(const Canvas& canvas);
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
/// "1x", "1/100 x".
std::string speed_text(double speed);
extern const std::array<double, 4> kSpeeds;

}  // namespace lanescope::ui
