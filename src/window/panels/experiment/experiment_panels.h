// The experiment that runs, all experiments, and sweeps. Each draws into the ImGui window that is current,
// which the shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// The current experiment: its texts, its switch, its knob, its figures.
void draw_experiment(const Canvas& canvas);
/// A long button that opens the gallery.
void draw_gallery_button(const Canvas& canvas);
/// Over everything: all experiments.
void draw_gallery(const Canvas& canvas);
/// A published number's quality, "estimate", in its colour.
Colour quality_colour(experiment::Quality quality);
/// The tutorial's errors in a box; `open` unfolds what is longer than a few lines, empty: all of it is shown.
void draw_correction(const Canvas& canvas, const std::string& says, bool* open);
/// The sweep panel, when it is open.
void draw_sweep(const Canvas& canvas);

}  // namespace lanescope::ui
