// The running experiment, all experiments, and sweeps. Each function draws into the current ImGui window, which the
// shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// The current experiment: its texts, its switch, its knob, its figures.
void draw_experiment(const Canvas& canvas);
/// Its switch, its knob and its figures alone.
void draw_experiment_controls(const Canvas& canvas);
/// A wide button that opens the gallery.
void draw_gallery_button(const Canvas& canvas);
/// All experiments, drawn over everything else.
void draw_gallery(const Canvas& canvas);
/// Instead of what would give an answer away.
bool gallery_key(ShellState& state, KeyChord chord);
void draw_hidden(const Canvas& canvas);
/// A published number's quality, "estimate", in its colour.
Colour quality_colour(experiment::Quality quality);
/// The tutorial's errors in a box; `open` unfolds a text longer than a few lines; null: all of it is shown.
void draw_correction(const Canvas& canvas, const std::string& says, bool* open);
/// The sweep panel, when it is open.
void draw_sweep(const Canvas& canvas);

}  // namespace lanescope::ui
