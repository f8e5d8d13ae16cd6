#include "shell/comparison.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/time.h"
#include "base/translate.h"
#include "inspect/neighbours.h"
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

std::uint32_t version_of(const Model& model) { return model.steering() ? model.steering()->settings_version() : 0; }

// Where a replay finds the call: in the innermost range around it.
std::string place_of(const Model& model, const EventRef& call) {
  const trace::Trace& trace = model.trace();
  trace::NameId name = call.event.name;
  for (const EventRef& range : enclosing_ranges(model.analysis().links(), call)) {
    if (trace.lane(range.lane).info().kind != trace::LaneKind::Phases) continue;
    if (trace::range_kind_of(range.event) == trace::RangeKind::Timed) continue;
    name = range.event.name;
    break;
  }
  // Of "train.py:41  loss.item()" the line says enough.
  std::string place(trace.names().text(name));
  return place.substr(0, place.find("  "));
}

// What was dragged off goes with what it was dragged in, and with the next card.
void keep_dragged_off(ShellState& state) {
  auto& dragged = state.comparison.dragged_off;
  if (!dragged) return;
  const bool another = state.advice.open && state.advice.open != dragged->card;
  dragged->card = state.advice.open;
  const Model& model = state.model;
  if (another || dragged->generation != model.generation() || dragged->settings != version_of(model)) dragged.reset();
}

// How the view followed the run, if it did; then it may hold what is compared.
std::optional<ViewMode> followed_mode(const ShellState& state) {
  const bool follows = state.model.live() && !state.view.stays() && !state.view.frozen_by_hand();
  return follows ? std::optional(state.view.mode()) : std::nullopt;
}

// Of a trial in a watched program: says what it has measured, and shows it. True: that is what is below the lanes.
bool follow_trial(ShellState& state) {
  ProgramTrials& trials = state.program_trials;
  if (const std::string says = trials.just_ended(); !says.empty()) state.show_toast(says);
  Comparison& comparison = state.comparison;
  if (trials.just_measured() && trials.measured()) {
    put_back(state);
    comparison.trial = {state.advice.open, {}};
    comparison.other.put_replayed(trials.measured()->run);
    const auto& recorded = trials.measured()->recorded;
    const std::optional<ViewMode> followed = followed_mode(state);
    if (recorded && followed) {
      comparison.trial.followed = followed;
      state.view.show_iteration(recorded->from, recorded->to);
    }
  }
  if (!trials.measured()) return false;
  // Its own card may be unfolded meanwhile.
  const attach::Knob* of_card = state.advice.open ? trials.knob(*state.advice.open) : nullptr;
  const bool its_own = of_card && ProgramTrials::key_of(*of_card) == trials.measured()->knob;
  const bool another = state.advice.open && state.advice.open != comparison.trial.card && !its_own;
  if (another || comparison.dragged_off) put_trial_away(state);
  return trials.measured() != nullptr;
}

// A wait that was dragged off its lane, or a card that is unfolded, shows what the change would do, below the lanes.
// For a card, a run that can be turned shows what it did.
void replay_what_is_asked(ShellState& state) {
  keep_dragged_off(state);
  if (follow_trial(state)) return;
  if (const auto& dragged = state.comparison.dragged_off)
    return state.comparison.other.ask(state.model, std::span(&dragged->edit, 1));
  if (state.model.steering()) return state.comparison.other.ask(state.model, {});
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

void drag_off(ShellState& state, const EventRef& call) {
  const analysis::Edit edit{analysis::EditKind::NoWait, 0, place_of(state.model, call)};
  const bool again = state.comparison.dragged_off && state.comparison.dragged_off->edit == edit;
  if (edit.place.empty() || (again && put_back(state))) return;
  DraggedOff dragged{edit, state.model.generation(), version_of(state.model), state.advice.open, {}};
  dragged.followed = state.comparison.dragged_off ? state.comparison.dragged_off->followed : followed_mode(state);
  state.comparison.dragged_off = std::move(dragged);
}

bool put_back(ShellState& state) {
  const auto dragged = std::exchange(state.comparison.dragged_off, std::nullopt);
  if (dragged && dragged->followed && state.view.stays()) state.view.set_mode(*dragged->followed);
  return dragged.has_value();
}

bool put_trial_away(ShellState& state) {
  if (!state.program_trials.measured()) return false;
  state.program_trials.put_away();
  state.comparison.other.put(nullptr);
  const auto followed = std::exchange(state.comparison.trial.followed, std::nullopt);
  if (followed && state.view.stays()) state.view.set_mode(*followed);
  return true;
}

void try_knob(ShellState& state, const attach::Knob& knob) {
  put_trial_away(state);
  if (const std::string problem = state.program_trials.start(state.model, knob); !problem.empty())
    state.show_toast(problem, true);
}

bool stop_trial(ShellState& state) { return state.program_trials.stop(state.model); }

void update_comparison(ShellState& state) {
  OtherSide& other = state.comparison.other;
  replay_what_is_asked(state);
  other.update(state.model, state.experiment.active ? &*state.experiment.active : nullptr,
               state.view.trigger_settings());
  if (const auto iteration = other.just_replayed()) state.view.show_iteration(iteration->from, iteration->to);
  if (const std::string why = other.just_refused(); !why.empty() && put_back(state))
    state.show_toast(tr("What it would gain is not predicted: {}.", why));
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
