// The parts of the table of actions: each feature contributes its rows, in the order in which the menu, the help and
// the manual list them.
#pragma once

#include <vector>

#include "shell/actions.h"
#include "shell/keys.h"

namespace lanescope::ui {

inline constexpr int kCtrl = modifier::Control, kShift = modifier::Shift, kAlt = modifier::Alt;

std::vector<ActionInfo> run_actions();
std::vector<ActionInfo> turn_actions();
std::vector<ActionInfo> lesson_actions();
std::vector<ActionInfo> scope_actions();
std::vector<ActionInfo> view_actions();
std::vector<ActionInfo> travel_actions();
std::vector<ActionInfo> step_actions();
std::vector<ActionInfo> selection_actions();
std::vector<ActionInfo> mark_actions();
std::vector<ActionInfo> finding_actions();
std::vector<ActionInfo> idle_actions();
std::vector<ActionInfo> code_actions();
std::vector<ActionInfo> plot_actions();
std::vector<ActionInfo> compare_actions();
std::vector<ActionInfo> lane_actions();
std::vector<ActionInfo> picture_actions();
std::vector<ActionInfo> file_actions();
std::vector<ActionInfo> window_actions();
std::vector<ActionInfo> look_actions();
std::vector<ActionInfo> help_actions();

// Reasons for a disabled action, shared by several features.
std::string no_run(const ShellState& state);
std::string nothing_pinned(const ShellState& state);

}  // namespace lanescope::ui
