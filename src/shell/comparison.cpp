#include "shell/comparison.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <span>

#include "base/time.h"
#include "base/translate.h"
#include "shell/action_rows.h"
#include "shell/shell_state.h"

namespace lanescope::ui {

using base::tr;

namespace {

std::string nothing_to_pin(const ShellState& state) {
  return state.model.nothing() ? tr("Nothing to pin: no run and no file") : "";
}

void unpin(ShellState& state) {
  state.comparison.state.unpin();
  GhostRun& ghost = state.plots.ghost;
  if (!ghost.empty() && ghost.number == state.comparison.ghost) ghost = {};
}

std::string nothing_to_unpin(const ShellState& state) {
  return state.comparison.state.waits_for_a() ? "" : nothing_pinned(state);
}

void toggle_align(ShellState& state) {
  CompareAlign& align = state.comparison.state.align;
  align = align == CompareAlign::Iteration ? CompareAlign::Time : CompareAlign::Iteration;
}

// A card that is unfolded shows what its cure would do, below the lanes. A run that can be turned shows what it did.
void replay_open_card(ShellState& state) {
  if (state.model.steering()) return;
  const auto& cards = state.advice.cards();
  const auto open = state.advice.open ? std::ranges::find(cards, *state.advice.open, &AdviceCard::key) : cards.end();
  const bool answered = open != cards.end() && open->card.what_if && open->card.what_if->answer.refusal.empty();
  const std::span<const analysis::Edit> edits =
      answered ? std::span<const analysis::Edit>(open->card.what_if->edits) : std::span<const analysis::Edit>();
  state.comparison.other.ask(state.model, edits);
}

}  // namespace

std::string nothing_pinned(const ShellState& state) {
  return state.comparison.state.pinned() ? "" : tr("nothing is pinned as A");
}

void update_comparison(ShellState& state) {
  OtherSide& other = state.comparison.other;
  replay_open_card(state);
  other.update(state.model, state.experiment.active ? &*state.experiment.active : nullptr,
               state.view.trigger_settings());
  if (const auto iteration = other.just_replayed()) state.view.show_iteration(iteration->from, iteration->to);
  const SharedSnapshot below = other.run();
  state.view.compare_with(below ? static_cast<double>(below->typical_iteration().duration()) : 0);
  CompareState& compare = state.comparison.state;
  const bool had_b = compare.b() != nullptr;
  compare.update(state.model, base::now());
  if (compare.just_pinned()) {
    // Not if another run has begun meanwhile.
    const bool still = state.model.live() && compare.a()->facts.settings == state.model.facts().settings;
    if (GhostRun ghost = pin_ghost(state.model); still && !ghost.empty()) {
      state.comparison.ghost = ghost.number;
      state.plots.ghost = std::move(ghost);
    }
    state.show_toast(state.model.live() ? tr("A is pinned: what runs after the next knob change is B")
                                        : tr("A is pinned: what you open or start next is B"));
  }
  if (compare.just_refused()) {
    state.show_toast(tr("Nothing to pin yet: no iteration has been measured with these settings"));
  }
  if (!had_b && compare.b() && !compare.open) {
    const std::string keys = keys_text(info(Action::CompareView));
    state.show_toast(headline(*compare.a(), *compare.b()) + (keys.empty() ? "" : "  ·  " + keys));
  }
}

std::vector<ActionInfo> compare_actions() {
  return {
      {Action::PinA,
       ActionGroup::Reading,
       "pin-a",
       N_("pin this run as A; what runs next is B"),
       {},
       [](ShellState& s) { s.comparison.state.pin(); },
       nothing_to_pin},
      {Action::UnpinA, ActionGroup::Reading, "unpin-a", N_("unpin A"), {}, unpin, nothing_to_unpin},
      {Action::CompareView,
       ActionGroup::Reading,
       "compare",
       N_("compare A and B on one clock"),
       {},
       [](ShellState& s) { s.comparison.state.open = !s.comparison.state.open; }},
      {Action::CompareAlign,
       ActionGroup::Reading,
       "compare-align",
       N_("A and B: align by iteration or by time"),
       {},
       toggle_align,
       nullptr,
       nothing_pinned},
      {Action::RenewB,
       ActionGroup::Reading,
       "renew-b",
       N_("measure B again, from now on"),
       {},
       [](ShellState& s) { s.comparison.state.renew(); },
       nothing_pinned},
  };
}

}  // namespace lanescope::ui
