#include "shell/code.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "base/translate.h"
#include "shell/action_rows.h"
#include "shell/finding.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

void toggle_code(ShellState& state) {
  bool& shown = state.preferences.code_view;
  shown = !shown || state.comparison.state.open;  // A and B cover it
  state.comparison.state.open = false;
  state.drawer = shown ? DrawerTab::Code : DrawerTab::Plots;
}

}  // namespace

void update_code(ShellState& state) {
  CodeState& code = state.code;
  if (!state.presentation.on) state.preferences.code_view = state.drawer == DrawerTab::Code;
  CodeState::Situation now;
  now.seen = std::exchange(code.drawn, false);
  if (!now.seen) code.hovered.reset();
  now.still = state.view.frozen_by_hand() || !state.model.live();
  now.animation = state.preferences.animation;
  now.seconds = static_cast<double>(ImGui::GetIO().DeltaTime);
  if (state.pointed.lane && state.pointed.at) now.instant = state.pointed.at;
  now.selected = state.selection.event;
  if (state.selection.bubble) now.selected_at = state.selection.bubble->start_ns;
  if (code.went_to && state.selection.event != code.went_to) {
    code.went_to.reset();
    code.choose(std::nullopt);
  }
  code.update(state.model, now, CodeState::Clock::now());
}

void go_to_statement(ShellState& state, std::size_t line) {
  constexpr float kLeast = 4, kWanted = 60;  // width of the example, in pixels
  CodeState& code = state.code;
  if (code.code()[line].part_of) line = *code.code()[line].part_of;
  if (code.chosen() == line) {
    code.choose(std::nullopt);
    code.went_to.reset();
    return;
  }
  const LineCost* cost = code.cost(line);
  if (!cost || cost->example.end_ns == 0) return;
  const std::optional<EventRef> event = event_of(state.model.trace(), cost->example);
  if (!event) return state.show_toast(base::tr("The example is no longer in memory"));
  select_listed(state, *event);
  code.choose(line);
  code.went_to = event;
  const TimeAxis& axis = state.view.axis();
  const Nanoseconds duration = std::max<Nanoseconds>(1, event->event.duration());
  if (axis.length_px(duration) >= kLeast * state.scale()) return;
  const double half = static_cast<double>(duration) * axis.width_px() / (2 * kWanted * state.scale());
  const Nanoseconds middle = event->event.start_ns + duration / 2;
  state.view.show(middle - static_cast<Nanoseconds>(half), middle + static_cast<Nanoseconds>(half));
}

std::vector<ActionInfo> code_actions() {
  return {
      {Action::CodeView,
       ActionGroup::Reading,
       "code-view",
       N_("code view: what each statement costs"),
       {{key::F4}},
       toggle_code},
  };
}

}  // namespace lanescope::ui
