#include <fmt/format.h>

#include "base/translate.h"
#include "ui/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;

std::string with(const char* text, const std::string& value) { return fmt::format(fmt::runtime(text), value); }

std::string average_text(const ScopeState& scope) {
  return fmt::format(fmt::runtime(tr("average of {}/{}")), scope.picture.count(), scope.average.count);
}

std::string settings_text(const TriggerSettings& settings) {
  std::string says = settings.automatic ? tr("auto") : tr("normal");
  if (settings.hold_off_ns > 0) says += " · " + with(tr("hold-off {}"), base::format_duration(settings.hold_off_ns));
  if (settings.pre_trigger > 0) says += fmt::format(" · {} {:.0f} %", tr("pre"), settings.pre_trigger * 100);
  return says;
}

}  // namespace

ScopeStatus scope_status(const ShellState& state) {
  const ViewControl& view = state.view;
  const TriggerSettings& settings = view.trigger_settings();
  ScopeStatus status;
  status.what = with(tr("trigger: {}"), trigger_text(settings));
  if (!state.model.live() && state.scope.average.on && !shows_average(state)) {
    if (view.fired().empty()) {
      status.says = {no_trigger_text(settings)};
    } else if (state.scope.pending.valid() || view.moving()) {
      status.says = {tr("averaging")};
    } else {
      status.says = {tr("no picture of this width fits into the trace"), tr("zoom in")};
    }
  } else if (view.armed()) {
    status.waits = !view.single_shot();
    if (view.single_shot()) {
      status.says = {tr("triggered: filling the picture"), tr("triggered")};
    } else {
      status.says = {with(tr("armed: waiting for {}"), trigger_text(settings)), tr("armed: waiting"), tr("armed")};
    }
  } else if (view.mode() == ViewMode::Roll) {
    status.says = {tr("rolling: newest at the right"), tr("rolling")};
  } else if (view.mode() == ViewMode::Single) {
    status.says = {view.single_shot() ? tr("single: one picture, held") : tr("stopped"), tr("stopped")};
    if (shows_average(state)) status.says.insert(status.says.begin(), average_text(state.scope));
  } else if (view.fired().empty() && !view.trigger_instant()) {
    status.waits = true;
    const std::string none = no_trigger_text(settings);
    status.says = {with(view.auto_rolling() ? tr("rolling, no trigger yet: {}") : tr("no trigger yet: {}"), none),
                   with(tr("no trigger yet: {}"), none), none, tr("no trigger yet")};
  } else if (view.auto_rolling()) {
    status.waits = true;
    status.says = {with(tr("rolling: {} for 2 s"), no_trigger_text(settings)), tr("rolling: no trigger for 2 s"),
                   tr("no trigger for 2 s")};
  } else if (state.scope.average.on) {
    status.says = {average_text(state.scope)};
  } else {
    status.says = {settings_text(settings), settings.automatic ? tr("auto") : tr("normal")};
  }
  return status;
}

}  // namespace lanescope::ui
