// The code beside the lanes: what each statement costs, and the way from a statement to its events.
#pragma once

#include <cstddef>

namespace lanescope::ui {

struct ShellState;

/// Once per frame: the costs beside the code.
void update_code(ShellState& state);
/// Chooses a line of the code: its ranges are outlined, and the costliest is selected and brought into view. A second
/// time: no more.
void go_to_statement(ShellState& state, std::size_t line);

}  // namespace lanescope::ui
