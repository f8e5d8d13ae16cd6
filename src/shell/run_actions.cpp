// The actions of the run: pause, speed, knobs, experiments, devices.
#include <algorithm>
#include <cmath>

#include "attach/program_state.h"
#include "base/error.h"
#include "base/translate.h"
#include "model/experiment/slider_scale.h"
#include "shell/action_rows.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;
using workload::SettingAction;

constexpr SettingTurn kFewerReads{SettingAction::ReadInterval, 1}, kMoreReads{SettingAction::ReadInterval, -1};
constexpr SettingTurn kTogglePinned{SettingAction::Pinned, 0}, kToggleNonBlocking{SettingAction::NonBlocking, 0};
constexpr SettingTurn kToggleFeed{SettingAction::Feed, 0};

void step_setting(Model& model, const workload::SettingSpec& spec, int direction) {
  if (spec.stops.size() < 2) return;
  const auto now = static_cast<double>(model.steering()->settings().integer(spec.key));
  const double next = next_slider_value(spec, now, direction);
  if (next != now) model.set(spec.key, static_cast<std::int64_t>(next));
}

void toggle_setting(Model& model, const workload::SettingSpec& spec) {
  const workload::Settings settings = model.steering()->settings();
  if (spec.type == workload::SettingType::Bool) {
    model.set(spec.key, !settings.boolean(spec.key));
  } else if (spec.type == workload::SettingType::Choice && spec.choices.size() > 1) {
    model.set(spec.key, settings.choice(spec.key) == spec.choices[0] ? spec.choices[1] : spec.choices[0]);
  }
}

template <SettingTurn kTurn>
void turn(ShellState& state) {
  const workload::Settings settings = state.model.steering()->settings();  // a copy, which keeps `spec` alive
  const workload::SettingSpec& spec = *settings.spec(kTurn.setting);
  if (const workload::NoEffect* none = settings.no_effect(spec)) {
    return state.show_toast(tr("No effect now: {}.", tr(none->reason)));
  }
  kTurn.step == 0 ? toggle_setting(state.model, spec) : step_setting(state.model, spec, kTurn.step);
}

std::string no_knobs(const ShellState& state) {
  if (state.model.steering()) return "";
  return state.model.live() ? tr("its settings cannot be changed from here") : no_run(state);
}

template <SettingTurn kTurn>
std::string no_such_knob(const ShellState& state) {
  if (std::string why = no_knobs(state); !why.empty()) return why;
  return state.model.steering()->settings().spec(kTurn.setting) ? "" : tr("this workload has no such knob");
}

template <SettingTurn kTurn>
std::string no_effect(const ShellState& state) {
  const workload::Settings settings = state.model.steering()->settings();
  const workload::NoEffect* none = settings.no_effect(*settings.spec(kTurn.setting));
  return none ? tr(none->reason) : "";
}

using Way = std::string (SettingsHistory::*)(Model&);

template <Way kWay>
void go_in_history(ShellState& state) {
  try {
    const std::string turned = (state.settings_history.*kWay)(state.model);
    if (!turned.empty()) state.show_toast(turned);
  } catch (const base::Error& error) {
    state.show_toast(error.what(), true);
  }
}

std::string no_undo(const ShellState& state) {
  if (std::string why = no_knobs(state); !why.empty()) return why;
  return state.settings_history.can_undo() ? "" : tr("no knob was turned in this run");
}

std::string no_redo(const ShellState& state) {
  if (std::string why = no_knobs(state); !why.empty()) return why;
  return state.settings_history.can_redo() ? "" : tr("no turn was undone");
}

void pause(ShellState& state) { state.model.set_paused(!state.model.paused()); }

std::string no_pause(const ShellState& state) {
  if (!state.model.live()) return no_run(state);
  return state.model.steering() ? "" : tr("it cannot be paused");
}

void restart(ShellState& state) { state.requests.source = state.model.restart(); }

std::string no_restart(const ShellState& state) {
  if (state.model.can_restart()) return "";
  return state.model.live() ? tr("it cannot be restarted from here") : no_run(state);
}

void slower(ShellState& state) { state.model.set_speed(std::max(0.001, state.model.speed() / 10)); }

void faster(ShellState& state) { state.model.set_speed(std::min(1.0, state.model.speed() * 10)); }

std::string no_speed(const ShellState& state) {
  if (!state.model.live()) return no_run(state);
  return state.model.virtual_time() ? "" : tr("this device runs in real time");
}

std::string not_slower(const ShellState& state) {
  if (std::string why = no_speed(state); !why.empty()) return why;
  return state.model.speed() < 0.00101 ? tr("already at its slowest") : "";
}

std::string not_faster(const ShellState& state) {
  if (std::string why = no_speed(state); !why.empty()) return why;
  return state.model.speed() > 0.999 ? tr("already at full speed") : "";
}

void toggle_sweep(ShellState& state) {
  close_overlay(state);
  state.sweep.open = !state.sweep.open;
}

// The one that is drawn below the lanes: after a turn by hand that is not the experiment's other side.
void flip_side(ShellState& state) {
  const OtherSide& other = state.comparison.other;
  if (other.has_two() && !other.of_experiment()) {
    if (std::string refused = other.swap(state.model); !refused.empty()) state.show_toast(std::move(refused), true);
    return;
  }
  const ActiveExperiment& active = *state.experiment.active;
  const auto now = active.side_of(state.model.steering()->settings());
  const experiment::Side from = now.value_or(active.side());
  state.requests.side = from == experiment::Side::Before ? experiment::Side::After : experiment::Side::Before;
}

std::string no_side(const ShellState& state) {
  if (std::string why = no_knobs(state); !why.empty()) return why;
  const OtherSide& pair = state.comparison.other;
  if (!state.experiment.active && !pair.has_two()) return tr("no experiment is running, and no knob was turned");
  if (!other_side_tells(state)) return {};
  return state.lesson.hides() ? tr("first answer the question") : tr("the task is to turn the knobs yourself");
}

}  // namespace

std::string no_run(const ShellState& state) { return state.model.live() ? "" : tr("a file is shown, not a run"); }

std::vector<ActionInfo> run_actions() {
  return {
      {Action::PauseRun, ActionGroup::Run, "pause", N_("pause or continue the run"), {{key::Space}}, pause, no_pause},
      {Action::RestartRun, ActionGroup::Run, "restart", N_("restart the run"), {{key::R}}, restart, no_restart},
      {Action::Slower, ActionGroup::Run, "slower", N_("slow the simulation down"), {{key::Minus}}, slower, not_slower},
      {Action::Faster, ActionGroup::Run, "faster", N_("speed the simulation up"), {{key::Equal}}, faster, not_faster},
      {Action::MoreReads,
       ActionGroup::Run,
       "log-interval-down",
       N_("read the loss more often"),
       {{key::LeftBracket}},
       turn<kMoreReads>,
       no_such_knob<kMoreReads>,
       no_effect<kMoreReads>,
       nullptr,
       kMoreReads},
      {Action::FewerReads,
       ActionGroup::Run,
       "log-interval-up",
       N_("read the loss less often"),
       {{key::RightBracket}},
       turn<kFewerReads>,
       no_such_knob<kFewerReads>,
       no_effect<kFewerReads>,
       nullptr,
       kFewerReads},
      {Action::TogglePinned,
       ActionGroup::Run,
       "pinned",
       N_("pinned host memory on or off"),
       {{key::P}},
       turn<kTogglePinned>,
       no_such_knob<kTogglePinned>,
       no_effect<kTogglePinned>,
       nullptr,
       kTogglePinned},
      {Action::ToggleNonBlocking,
       ActionGroup::Run,
       "non-blocking",
       N_("non_blocking copies on or off"),
       {{key::N}},
       turn<kToggleNonBlocking>,
       no_such_knob<kToggleNonBlocking>,
       no_effect<kToggleNonBlocking>,
       nullptr,
       kToggleNonBlocking},
      {Action::ToggleFeed,
       ActionGroup::Run,
       "feed",
       N_("fresh batch every iteration on or off"),
       {{key::B}},
       turn<kToggleFeed>,
       no_such_knob<kToggleFeed>,
       no_effect<kToggleFeed>,
       nullptr,
       kToggleFeed},
  };
}

std::vector<ActionInfo> turn_actions() {
  return {
      {Action::UndoTurn,
       ActionGroup::Run,
       "undo",
       N_("undo the last turn of a knob"),
       {{key::Z, kAlt}},
       go_in_history<&SettingsHistory::undo>,
       no_undo},
      {Action::RedoTurn, ActionGroup::Run, "redo", N_("redo it"), {}, go_in_history<&SettingsHistory::redo>, no_redo},
      {Action::DeviceMenu,
       ActionGroup::Run,
       "device-menu",
       N_("devices: GPUs, simulated devices, recorded runs"),
       {},
       [](ShellState& s) { s.device_menu.toggle = true; }},
      {Action::AttachProgram,
       ActionGroup::Run,
       "attach",
       N_("attach to a program of your own ..."),
       {},
       [](ShellState& s) { toggle_overlay(s, Overlay::Attach); },
       [](const ShellState&) { return attach::why_not(); }},
      {Action::Sweep, ActionGroup::Run, "sweep", N_("sweep: many values of a knob in one chart"), {}, toggle_sweep},
      {Action::Gallery,
       ActionGroup::Run,
       "gallery",
       N_("all experiments"),
       {{key::E}},
       [](ShellState& s) { toggle_overlay(s, Overlay::Gallery); }},
      {Action::FlipSide, ActionGroup::Run, "flip", N_("switch to the other side"), {{key::Tab}}, flip_side, no_side},
  };
}

}  // namespace lanescope::ui
