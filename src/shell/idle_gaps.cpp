#include "shell/idle_gaps.h"

#include "base/translate.h"
#include "shell/action_rows.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;

// The gap in the middle third of the view, so that what is before and after it is seen.
void show_gap(ShellState& state) {
  const analysis::Bubble& gap = *state.idle.gap();
  state.selection.clear();
  state.selection.bubble = gap;
  state.selection.caption = state.idle.gap_text();
  state.view.show(gap.start_ns - gap.duration(), gap.end_ns + gap.duration());
}

std::string no_idle_places(const ShellState& state) {
  return shows_idle_places(state) ? "" : tr("Only for an opened trace or a program that is watched");
}

template <std::size_t Number>
void choose(ShellState& state) {
  choose_idle_row(state, Number);
}

}  // namespace

bool shows_idle_places(const ShellState& state) {
  return !state.model.steering() && !state.model.nothing() && !answers_hidden(state);
}

void choose_idle_row(ShellState& state, std::size_t number) {
  if (!state.idle.choose(number)) return state.show_toast(tr("There is no such place, or none of its gaps is kept"));
  show_gap(state);
}

bool at_idle_gap(const ShellState& state) {
  return state.selection.bubble && state.idle.gap() && state.selection.bubble->start_ns == state.idle.gap()->start_ns &&
         shows_idle_places(state);
}

void step_idle_gap(ShellState& state, Along along) {
  if (!state.idle.step(state.model, along)) return state.show_toast(tr("This gap is no longer in memory"));
  show_gap(state);
}

std::vector<ActionInfo> idle_actions() {
  return {
      {Action::IdleRow1,
       ActionGroup::Reading,
       "idle-1",
       N_("longest gap where the GPU idles most; 2 to 5: next"),
       {{key::Digit1}},
       choose<0>,
       no_idle_places},
      {Action::IdleRow2,
       ActionGroup::Reading,
       "idle-2",
       N_("where the GPU idles, second place"),
       {{key::Digit2}},
       choose<1>,
       no_idle_places},
      {Action::IdleRow3,
       ActionGroup::Reading,
       "idle-3",
       N_("where the GPU idles, third place"),
       {{key::Digit3}},
       choose<2>,
       no_idle_places},
      {Action::IdleRow4,
       ActionGroup::Reading,
       "idle-4",
       N_("where the GPU idles, fourth place"),
       {{key::Digit4}},
       choose<3>,
       no_idle_places},
      {Action::IdleRow5,
       ActionGroup::Reading,
       "idle-5",
       N_("where the GPU idles, fifth place"),
       {{key::Digit5}},
       choose<4>,
       no_idle_places},
  };
}

}  // namespace lanescope::ui
