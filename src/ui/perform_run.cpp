#include <algorithm>
#include <cmath>

#include "ui/perform.h"
#include "ui/widgets.h"

namespace lanescope::ui {
namespace {

void step_setting(ShellState& state, const char* key, int direction) {
  if (!state.model.live()) return;
  const workload::Settings settings = state.model.session()->settings();
  const workload::SettingSpec* spec = settings.spec(key);
  if (!spec || spec->stops.size() < 2) return;
  // From stop to stop as the slider has them; a typed value between two stops goes to the one beside it.
  const double step = 1.0 / static_cast<double>(spec->stops.size() - 1);
  const double at = slider_position(*spec, static_cast<double>(settings.integer(key)));
  const double on_stop = std::round(at / step) * step;
  const double target = std::abs(at - on_stop) < 1e-9 ? at + direction * step
                        : direction > 0               ? std::ceil(at / step) * step
                                                      : std::floor(at / step) * step;
  if (target < -1e-9 || target > 1 + 1e-9) return;
  state.model.set(key, static_cast<std::int64_t>(slider_value(*spec, target)));
}

void toggle_setting(ShellState& state, const char* key) {
  if (!state.model.live()) return;
  const workload::Settings settings = state.model.session()->settings();
  const workload::SettingSpec* spec = settings.spec(key);
  if (!spec) return;
  if (spec->type == workload::SettingType::Bool) {
    state.model.set(key, !settings.boolean(key));
  } else if (spec->type == workload::SettingType::Choice && spec->choices.size() > 1) {
    state.model.set(key, settings.choice(key) == spec->choices[0] ? spec->choices[1] : spec->choices[0]);
  }
}

}  // namespace

bool perform_run(ShellState& state, Action action) {
  switch (action) {
    case Action::PauseRun:
      state.model.set_paused(!state.model.paused());
      return true;
    case Action::RestartRun:
      if (state.model.live() || state.model.notice() || state.model.nothing())
        state.new_run = state.model.options_now();
      return true;
    case Action::FlipSide:
      if (state.experiment && state.model.live()) {
        const auto now = state.experiment->side_of(state.model.session()->settings());
        const experiment::Side from = now.value_or(state.experiment->side());
        state.wanted_side = from == experiment::Side::Before ? experiment::Side::After : experiment::Side::Before;
      }
      return true;
    case Action::Slower:
      state.model.set_speed(std::max(0.001, state.model.speed() / 10));
      return true;
    case Action::Faster:
      state.model.set_speed(std::min(1.0, state.model.speed() * 10));
      return true;
    case Action::FewerReads:
      step_setting(state, "log_interval", 1);
      return true;
    case Action::MoreReads:
      step_setting(state, "log_interval", -1);
      return true;
    case Action::TogglePinned:
      toggle_setting(state, "pinned");
      return true;
    case Action::ToggleNonBlocking:
      toggle_setting(state, "non_blocking");
      return true;
    case Action::ToggleFeed:
      toggle_setting(state, "feed");
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::ui
