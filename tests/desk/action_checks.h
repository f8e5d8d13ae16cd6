// Every action of the table, tried by its own key: what must be so before, and what after.
#pragma once

#include <functional>
#include <vector>

#include "desk/desk.h"
#include "shell/actions.h"

namespace lanescope::ui_test {

struct ActionCheck {
  ui::Action action;
  std::function<void(Desk&)> prepare;  ///< brings the window where the action means something; may be empty
  std::function<bool(Desk&)> done;     ///< waited for after the key was pressed; must be false before it
};

// Each in the file of its part; together they name every action of the table exactly once.
std::vector<ActionCheck> run_checks();
std::vector<ActionCheck> lesson_checks();
std::vector<ActionCheck> scope_checks();
std::vector<ActionCheck> navigation_checks();
std::vector<ActionCheck> marks_checks();
std::vector<ActionCheck> finding_checks();
std::vector<ActionCheck> code_checks();
std::vector<ActionCheck> plots_checks();
std::vector<ActionCheck> compare_checks();
std::vector<ActionCheck> lanes_checks();
std::vector<ActionCheck> out_checks();
std::vector<ActionCheck> window_checks();

}  // namespace lanescope::ui_test
