// The run's actions: pause, speed, knobs, experiments, devices.
#include <memory>

#include "desk/action_checks.h"

namespace lanescope::ui_test {

using ui::Action;

std::vector<ActionCheck> run_checks() {
  using Numbers = std::pair<double, double>;  // before the key
  const auto before = std::make_shared<Numbers>();
  const auto text_before = std::make_shared<std::string>();
  const auto setting = [](Desk& desk, const char* key) {
    return workload::to_text(desk.state().model.steering()->settings().value(key));
  };
  const auto interval = [setting](Desk& desk) { return std::stod(setting(desk, "log_interval")); };
  const auto turns = [&](Action action, const char* key) {
    return ActionCheck{action,
                       [=](Desk& desk) {
                         desk.state().model.set("feed", std::string("per-iteration"));
                         *text_before = setting(desk, key);
                       },
                       [=](Desk& desk) { return setting(desk, key) != *text_before; }};
  };
  return {
      {Action::PauseRun, {}, [](Desk& desk) { return desk.state().model.paused(); }},
      {Action::RestartRun, [=](Desk& desk) { before->first = static_cast<double>(desk.state().model.generation()); },
       [=](Desk& desk) { return static_cast<double>(desk.state().model.generation()) != before->first; }},
      {Action::Slower, [=](Desk& desk) { before->first = desk.state().model.speed(); },
       [=](Desk& desk) { return desk.state().model.speed() < before->first * 0.5; }},
      {Action::Faster, [=](Desk& desk) { before->first = desk.state().model.speed(); },
       [=](Desk& desk) { return desk.state().model.speed() > before->first * 2; }},
      {Action::FewerReads, [=](Desk& desk) { before->first = interval(desk); },
       [=](Desk& desk) { return interval(desk) > before->first; }},
      {Action::MoreReads, [](Desk& desk) { desk.state().model.set("log_interval", std::int64_t{100}); },
       [=](Desk& desk) { return interval(desk) < 100; }},
      turns(Action::TogglePinned, "pinned"),
      turns(Action::ToggleNonBlocking, "non_blocking"),
      turns(Action::ToggleFeed, "feed"),
      {Action::UndoTurn,
       [](Desk& desk) {
         desk.state().model.set("log_interval", std::int64_t{100});
         desk.frames(2);
       },
       [=](Desk& desk) { return interval(desk) == 1; }},
      {Action::RedoTurn,
       [](Desk& desk) {
         desk.state().model.set("log_interval", std::int64_t{100});
         desk.frames(2);
         perform(desk.state(), Action::UndoTurn);
         desk.frames(2);
       },
       [=](Desk& desk) { return interval(desk) == 100; }},
      {Action::DeviceMenu, {}, [](Desk& desk) { return desk.state().device_menu.open; }},
      {Action::AttachProgram, {}, [](Desk& desk) { return desk.state().overlays.open == ui::Overlay::Attach; }},
      {Action::Sweep, {}, [](Desk& desk) { return desk.state().sweep.open; }},
      {Action::Gallery, {}, [](Desk& desk) { return desk.state().overlays.open == ui::Overlay::Gallery; }},
      {Action::FlipSide,
       {},
       [](Desk& desk) { return desk.state().experiment.active->side() == experiment::Side::After; }},
  };
}

}  // namespace lanescope::ui_test
