// Reports of crashes, offered at the next start.
#pragma once

#include <string>

namespace lanescope::ui {

struct ShellState;

/// Opens their folder with the desktop's own program; a toast says where it is if there is none.
void open_crash_reports(ShellState& state);
/// Empty: there may be some.
std::string no_crash_reports(const ShellState& state);

}  // namespace lanescope::ui
