// What is shown, as a link to the program in the browser, or as a command that shows it again.
#pragma once

#include <string>

#include "experiment/link.h"

namespace lanescope::ui {

struct ShellState;

/// Why what is shown cannot be linked to; empty if it can be: a file is on this machine only, and so is an experiment
/// or a lesson of the user's own.
std::string no_link(const ShellState& state);
/// Call only if no_link() is empty.
experiment::Link link_of(const ShellState& state);
/// In the browser, the page's address with the link; elsewhere, "lanescope --experiment P09 --side after".
void copy_link(ShellState& state);

}  // namespace lanescope::ui
