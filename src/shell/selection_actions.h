// What can be done with the selection: its details as text, the statistics of its name, and the note on what was
// copied.
#pragma once

#include <chrono>
#include <string>

namespace lanescope::ui {

struct ShellState;

/// The line of the panel whose value was just copied: it says so for a moment.
struct CopiedNote {
  static constexpr std::chrono::milliseconds kLasts{1200};

  std::string line;
  std::chrono::steady_clock::time_point until{};
};

/// Puts text on the clipboard.
void copy_text(const std::string& text);
/// The details of what is selected as plain text; empty if nothing is.
std::string selection_text(const ShellState& state);
/// Once per frame: the statistics of the selected event's name, if they are wanted.
void update_name_figures(ShellState& state);

}  // namespace lanescope::ui
