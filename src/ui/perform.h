// What the actions of the table do, by part. Each function carries out the actions of its part and returns false for
// any other.
#pragma once

#include "ui/shell_state.h"

namespace lanescope::ui {

bool perform_run(ShellState& state, Action action);
bool perform_scope(ShellState& state, Action action);
bool perform_navigation(ShellState& state, Action action);
bool perform_marks(ShellState& state, Action action);
bool perform_finding(ShellState& state, Action action);
bool perform_code(ShellState& state, Action action);
bool perform_plots(ShellState& state, Action action);
bool perform_compare(ShellState& state, Action action);
bool perform_lanes(ShellState& state, Action action);
/// The view that a bookmark remembers.
void go_to_bookmark(ShellState& state, std::uint32_t id);
/// A key that is held down, `seconds` since the last frame.
void hold_navigation(ShellState& state, Action action, double seconds);

}  // namespace lanescope::ui
