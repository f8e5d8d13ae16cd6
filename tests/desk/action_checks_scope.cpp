#include "desk/action_checks.h"

namespace lanescope::ui_test {

using ui::Action;
using ui::ViewMode;

std::vector<ActionCheck> scope_checks() {
  const auto in_mode = [](ViewMode mode) { return [mode](Desk& desk) { desk.state().view.set_mode(mode); }; };
  const auto is_mode = [](ViewMode mode) { return [mode](Desk& desk) { return desk.state().view.mode() == mode; }; };
  return {
      {Action::Roll, in_mode(ViewMode::Trigger), is_mode(ViewMode::Roll)},
      {Action::Trigger, in_mode(ViewMode::Roll), is_mode(ViewMode::Trigger)},
      {Action::Single, in_mode(ViewMode::Roll),
       [](Desk& desk) { return desk.state().view.single_shot() && !desk.state().view.armed(); }},
      {Action::Average,
       [](Desk& desk) {
         desk.state().view.set_mode(ViewMode::Trigger);
         desk.state().scope.average.on = false;
       },
       [](Desk& desk) { return desk.state().scope.average.on && desk.state().scope.picture.count() > 0; }},
      {Action::TriggerPanel, [](Desk& desk) { desk.state().scope.panel_open = false; },
       [](Desk& desk) { return desk.state().scope.panel_open && desk.state().places.contains("trigger_panel"); }},
      {Action::WorstIteration,
       [](Desk& desk) {
         desk.state().view.resume();
         desk.state().model.set_paused(false);
         const auto& analysis = desk.state().model.analysis();
         const std::size_t before = analysis.records().size();
         desk.until([&] { return desk.state().model.analysis().records().size() >= before + 10; });
       },
       [](Desk& desk) { return desk.state().toast && desk.state().toast->text.starts_with("worst of "); }},
      {Action::About, [](Desk& desk) { desk.state().about_open = false; },
       [](Desk& desk) { return desk.state().about_open && desk.has_place("experiment.code"); }},
      {Action::Resume,
       [](Desk& desk) {
         desk.state().view.set_mode(ViewMode::Trigger);
         desk.state().view.pan(0);
       },
       is_mode(ViewMode::Trigger)},
  };
}

}  // namespace lanescope::ui_test
