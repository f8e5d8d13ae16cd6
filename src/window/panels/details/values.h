// Lines of the side panel that can be copied.
#pragma once

#include "model/event_facts.h"
#include "window/canvas.h"

namespace lanescope::ui {

/// Name on the left, value on the right; a value that is too long is cut, and its tooltip has all of it. A click copies
/// the value, or goes to the event that the line is about.
void fact_line(const Canvas& canvas, const Fact& fact);
void fact_lines(const Canvas& canvas, const std::vector<Fact>& facts);
/// The name of what is selected: the short one, and below it the whole one if that differs. A click copies the whole.
void copyable_title(const Canvas& canvas, const std::string& title, const std::string& short_title, Colour colour);
/// "SELECTED", and at the right what copies all of it.
void selection_heading(const Canvas& canvas);

}  // namespace lanescope::ui
