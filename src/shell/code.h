// The code next to the lanes: what each statement costs, and how to get from a statement to its events.
#pragma once

#include <cstddef>

namespace lanescope::ui {

struct ShellState;

/// Once per frame: updates the costs next to the code.
void update_code(ShellState& state);
/// Chooses a line of the code: outlines its ranges, and selects the costliest range and brings it into view. Choosing
/// the same line again clears the choice.
void go_to_statement(ShellState& state, std::size_t line);

}  // namespace lanescope::ui
