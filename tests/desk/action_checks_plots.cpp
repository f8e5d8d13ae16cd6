// The plots' actions: their axis, their scale, the ghost.
#include "desk/action_checks.h"

namespace lanescope::ui_test {

using ui::Action;

std::vector<ActionCheck> plots_checks() {
  const auto iterated = [](Desk& desk) {
    desk.until([&] { return desk.state().model.analysis().records().size() > 3; });
  };
  return {
      {Action::TogglePlotAxis, [](Desk& desk) { desk.state().plots.on_timeline_axis = false; },
       [](Desk& desk) { return desk.state().plots.on_timeline_axis == true; }},
      {Action::TogglePlotLog, [](Desk& desk) { desk.state().plots.view.logarithmic = false; },
       [](Desk& desk) { return desk.state().plots.view.logarithmic; }},
      {Action::PinGhost, iterated, [](Desk& desk) { return !desk.state().plots.ghost.empty(); }},
  };
}

}  // namespace lanescope::ui_test
