// What can be done with the selection: its details as text, the statistics of its name, and the note on what was
// copied.
#pragma once

#include <chrono>
#include <string>

#include "analysis/event_groups.h"
#include "analysis/query_job.h"

namespace lanescope::ui {

struct ShellState;

/// The line of the panel whose value was just copied: it says so for a moment.
struct CopiedNote {
  static constexpr std::chrono::milliseconds kLasts{1200};

  std::string line;
  std::chrono::steady_clock::time_point until{};
};

/// All events of the selected name, on lanes of its kind: a call and a range of the same name are different things.
struct NameFigures {
  bool open = false;  ///< wanted by the user
  analysis::QueryJob<analysis::EventGroups> job{std::chrono::milliseconds(500)};
};

/// Puts text on the clipboard.
void copy_text(const std::string& text);
/// The details of what is selected as plain text; empty if nothing is.
std::string selection_text(const ShellState& state);
/// Once per frame: the statistics of the selected event's name, if they are wanted.
void update_name_figures(ShellState& state);

}  // namespace lanescope::ui
