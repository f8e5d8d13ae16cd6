// The last line of a card, which tries what it says, and the table of what was tried.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// The height of a card's last line; 0: there is nothing to try against it.
float try_row_height(const Canvas& canvas, const AdviceCard& card);
/// Draws it in `area`, of that height; `hovered`: the card is pointed at. Returns the part that a click presses, empty
/// where it can only be read (an opened file).
Rect draw_try_row(const Canvas& canvas, const AdviceCard& card, const Rect& area, bool hovered);
/// What the line says at length: "predicted 94 µs an iteration instead of 163 µs"; or why nothing is predicted.
std::string prediction_text(const prediction::Prediction& prediction);
/// Predicted beside measured, the newest trial at length; nothing before the first.
void draw_tried(const Canvas& canvas);

}  // namespace lanescope::ui
