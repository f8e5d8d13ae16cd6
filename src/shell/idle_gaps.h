// The rows of "Where the GPU idles": a row shows its longest gap, and then its others.
#pragma once

#include <cstddef>

#include "inspect/neighbours.h"

namespace lanescope::ui {

struct ShellState;

/// The panel is drawn: of an opened trace or an attached program, whose places nobody knows beforehand.
bool shows_idle_places(const ShellState& state);
/// Chooses a row, selects its longest gap and brings it into view.
void choose_idle_row(ShellState& state, std::size_t number);
/// The selection is a gap of the chosen row.
bool at_idle_gap(const ShellState& state);
/// From there to the row's next one, or the one before.
void step_idle_gap(ShellState& state, Along along);

}  // namespace lanescope::ui
