#include "shell/navigation.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/time.h"
#include "base/translate.h"
#include "inspect/neighbours.h"
#include "shell/action_rows.h"
#include "shell/idle_gaps.h"
#include "shell/selecting.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr double kHoldPixelsPerSecond = 1300;
constexpr double kHoldZoomPerSecond = 2.1;  // in e-folds: eight times closer or further per second
constexpr float kLaneMargin = 8;

float middle_of(const TimeAxis& axis) { return (axis.left_px() + axis.right_px()) / 2; }

/// The time range that F shows.
std::optional<std::pair<Nanoseconds, Nanoseconds>> selected_stretch(const Selection& selection) {
  if (selection.range) return selection.range;
  if (selection.event) {
    const trace::Event& e = selection.event->event;
    return std::pair{e.start_ns, std::max(e.end_ns, e.start_ns + 1)};
  }
  if (selection.bubble) return std::pair{selection.bubble->start_ns, selection.bubble->end_ns};
  return std::nullopt;
}

// While A and B are shown, actions apply to their view.
bool compares(const ShellState& state) { return state.comparison.state.open && state.comparison.state.pinned(); }

void fit_all(ShellState& state) {
  if (compares(state)) return state.comparison.view.fit();
  state.view.fit(state.model);
}

// Centres first, keeping the zoom; if the selection is already centred, fits it.
void fit(ShellState& state) {
  if (compares(state)) return state.comparison.view.fit();
  const auto stretch = selected_stretch(state.selection);
  if (!stretch && state.model.live() && state.view.shown_iteration()) return state.view.go_to_goal();
  if (!stretch) return state.view.fit(state.model);
  const auto [from, to] = *stretch;
  const TimeAxis before = state.view.destination();
  state.view.centre(from + (to - from) / 2);
  if (ViewHistory::alike(before, state.view.destination())) state.view.show(from, to);
}

void reveal_lane(ShellState& state, const EventRef& event) {
  const auto pane = static_cast<std::size_t>(state.timeline.pane_of(event.lane));
  const float to = state.timeline.scroll_to_show(event, kLaneMargin * state.scale());
  if (to != state.scroll[pane]) state.navigation.scroll[pane].target = to;
}

void select_and_follow(ShellState& state, const EventRef& event) {
  const TimeAxis going = state.view.destination();
  select_event(state, event);
  if (!ViewHistory::alike(going, state.view.axis())) state.view.go_on_to(going);  // continue the movement in progress
  state.view.reveal(event.event.start_ns, event.event.end_ns);
  reveal_lane(state, event);
}

// The first event if none is selected: on the lane under the mouse, or else the first lane with any; the one nearest to
// the middle of the view.
std::optional<EventRef> first_event(const ShellState& state, Along along) {
  const trace::Trace& trace = state.model.trace();
  const Nanoseconds edge = state.model.live_edge();
  const TimeAxis axis = state.view.destination();
  if (state.selection.bubble) {  // the work before or after the bubble
    const auto& b = *state.selection.bubble;
    for (const trace::LaneId lane : state.timeline.lanes()) {
      if (trace.lane(lane).info().kind != trace::LaneKind::Kernels) continue;
      return nearest_event(trace, lane, along == Along::Forth ? b.end_ns : b.start_ns - 1, edge);
    }
  }
  const Nanoseconds middle = axis.to_ns(middle_of(axis));
  if (state.pointed.lane) {
    if (auto found = nearest_event(trace, *state.pointed.lane, middle, edge)) return found;
  }
  for (const trace::LaneId lane : state.timeline.lanes()) {
    if (auto found = nearest_event(trace, lane, middle, edge)) return found;
  }
  return std::nullopt;
}

void step(ShellState& state, Along along, bool same_name) {
  const trace::Trace& trace = state.model.trace();
  const Nanoseconds edge = state.model.live_edge();
  if (same_name && at_idle_gap(state)) return step_idle_gap(state, along);
  if (!state.selection.event) {
    if (const auto first = first_event(state, along)) return select_and_follow(state, *first);
    return state.show_toast(tr("No events yet"));
  }
  const EventRef from = *state.selection.event;
  const Neighbour next =
      same_name ? neighbour_of_same_name(trace, from, along, edge) : neighbour(trace, from, along, edge);
  if (next.found) return select_and_follow(state, *next.found);
  const bool forth = along == Along::Forth;
  const std::string& lane = trace.lane(from.lane).info().name;
  if (!same_name) {
    return state.show_toast(fmt::format(
        fmt::runtime(forth ? tr("This is the last event on {}") : tr("This is the first event on {}")), lane));
  }
  const std::string name(trace.names().text(from.event.name));
  if (next.gave_up) {
    const std::string limit = base::format_count(static_cast<std::int64_t>(kNeighbourLimit));
    return state.show_toast(fmt::format(
        fmt::runtime(forth ? tr("No later {} within {} events") : tr("No earlier {} within {} events")), name, limit));
  }
  state.show_toast(fmt::format(fmt::runtime(forth ? tr("No later {} on {}") : tr("No earlier {} on {}")), name, lane));
}

void step_lane(ShellState& state, Along along) {
  if (!state.selection.event) return step(state, along, false);
  const auto lanes = state.timeline.lanes();
  const auto found =
      event_on_next_lane(state.model.trace(), *state.selection.event, lanes, along, state.model.live_edge());
  if (found) return select_and_follow(state, *found);
  state.show_toast(along == Along::Back ? tr("No events on the lanes above") : tr("No events on the lanes below"));
}

void follow_link(ShellState& state) {
  // The link of a wait leads to the work that was waited for, whose own link is its launch: remember the way back.
  const EventRef from = *state.selection.event;
  if (const auto to = state.selection.came_from ? state.selection.came_from : state.selection.linked) {
    select_and_follow(state, *to);
    if (state.selection.linked != from) state.selection.came_from = from;
    return;
  }
  const bool gpu = trace::is_gpu_work(state.selection.event->event.kind);
  state.show_toast(gpu ? tr("The call that issued this is not in the trace") : tr("This has no GPU work"));
}

void select_iteration(ShellState& state) {
  const trace::Trace& trace = state.model.trace();
  const TimeAxis& axis = state.view.axis();
  Nanoseconds at = axis.to_ns(middle_of(axis));
  if (state.pointed.at) {
    at = *state.pointed.at;
  } else if (state.selection.event) {
    at = state.selection.event->event.start_ns;
  } else if (state.selection.bubble) {
    at = state.selection.bubble->start_ns;
  }
  const auto found = iteration_at(trace, at, state.model.live_edge());
  if (!found) return state.show_toast(tr("This trace has no iterations"));
  select_range(state, found->event.start_ns, found->event.end_ns);
  state.view.reveal(found->event.start_ns, found->event.end_ns);
}

void to_edge(ShellState& state, bool end) {
  const auto [from, to] = state.model.extent();
  const TimeAxis axis = state.view.destination();
  // Leave a small gap, to make clear that this is the end.
  const auto half = static_cast<Nanoseconds>(axis.span_ns() * 0.47);
  state.view.centre(end ? to - half : from + half);
}

void scroll_lanes(ShellState& state, float direction) {
  // The pane under the mouse, else the first that scrolls.
  const float mouse = ImGui::GetIO().MousePos.y;
  Pane pane = state.pointed.lane ? state.timeline.pane_at(mouse) : Pane::Cpu;
  if (state.timeline.pane(pane).overflow <= 0) pane = pane == Pane::Cpu ? Pane::Gpu : Pane::Cpu;
  const PanePlace& place = state.timeline.pane(pane);
  const auto number = static_cast<std::size_t>(pane);
  state.navigation.scroll[number].by(state.scroll[number], direction * (place.bottom - place.top) * 0.6f);
  state.lane_hands.carried.reset();  // the target is again the row under the mouse
}

void zoom(ShellState& state, double factor) { state.view.zoom(factor, middle_of(state.view.axis())); }

// A key is held down: moves the view at `pan` and `zoom` times the usual speed, zooming about the mouse if it is over
// the lanes.
void push(ShellState& state, double pan, double zoom) {
  const bool both = compares(state);
  const TimeAxis& axis = both ? state.comparison.view.axis() : state.view.axis();
  const float mouse = ImGui::GetIO().MousePos.x;
  const float at = mouse >= axis.left_px() && mouse <= axis.right_px() ? mouse : middle_of(axis);
  pan *= kHoldPixelsPerSecond * static_cast<double>(state.scale());
  zoom *= kHoldZoomPerSecond;
  both ? state.comparison.view.push(pan, zoom, at) : state.view.push(pan, zoom, at);
}

std::string no_previous_view(const ShellState& state) {
  return state.view.history().can_go_back(state.view.destination()) ? "" : tr("There is no previous view");
}

std::string no_next_view(const ShellState& state) {
  return state.view.history().can_go_forward(state.view.destination()) ? "" : tr("There is no next view");
}

std::string no_event(const ShellState& state) { return state.selection.event ? "" : tr("no event is selected"); }

}  // namespace

void flash_arrival(ShellState& state, Nanoseconds at) {
  if (!state.preferences.animation) return;
  state.navigation.arrival = ArrivalFlash{at, base::now() + ArrivalFlash::kLasts};
}

std::vector<ActionInfo> view_actions() {
  return {
      {Action::ZoomIn,
       ActionGroup::View,
       "zoom-in",
       N_("zoom in"),
       {{key::W}, {key::Up}},
       [](ShellState& s) { zoom(s, 1.5); },
       nullptr,
       nullptr,
       [](ShellState& s) { push(s, 0, 1); }},
      {Action::ZoomOut,
       ActionGroup::View,
       "zoom-out",
       N_("zoom out"),
       {{key::S}, {key::Down}},
       [](ShellState& s) { zoom(s, 1 / 1.5); },
       nullptr,
       nullptr,
       [](ShellState& s) { push(s, 0, -1); }},
      {Action::PanLeft,
       ActionGroup::View,
       "pan-left",
       N_("pan to earlier"),
       {{key::A}, {key::Left}},
       [](ShellState& s) { s.view.glide(120 * s.scale()); },
       nullptr,
       nullptr,
       [](ShellState& s) { push(s, 1, 0); }},
      {Action::PanRight,
       ActionGroup::View,
       "pan-right",
       N_("pan to later"),
       {{key::D}, {key::Right}},
       [](ShellState& s) { s.view.glide(-120 * s.scale()); },
       nullptr,
       nullptr,
       [](ShellState& s) { push(s, -1, 0); }},
      {Action::ScrollUp,
       ActionGroup::View,
       "scroll-up",
       N_("scroll up to the lanes above"),
       {{key::PageUp}},
       [](ShellState& s) { scroll_lanes(s, -1); }},
      {Action::ScrollDown,
       ActionGroup::View,
       "scroll-down",
       N_("scroll down to the lanes below"),
       {{key::PageDown}},
       [](ShellState& s) { scroll_lanes(s, 1); }},
      {Action::Fit,
       ActionGroup::View,
       "fit",
       N_("centre or fit the selection; else fit an iteration"),
       {{key::F}},
       fit},
      {Action::FitAll, ActionGroup::View, "fit-all", N_("show the whole run"), {{key::F, kShift}}, fit_all},
  };
}

std::vector<ActionInfo> travel_actions() {
  return {
      {Action::ViewBack,
       ActionGroup::View,
       "view-back",
       N_("previous view"),
       {{key::Z, kCtrl}},
       [](ShellState& s) { s.view.back(); },
       no_previous_view},
      {Action::ViewForward,
       ActionGroup::View,
       "view-forward",
       N_("next view"),
       {{key::Y, kCtrl}},
       [](ShellState& s) { s.view.forward(); },
       no_next_view},
      {Action::GoTo,
       ActionGroup::View,
       "go-to",
       N_("go to a time or an iteration"),
       {{key::J}},
       [](ShellState& s) { open_overlay(s, Overlay::GoTo); }},
      {Action::ToBegin,
       ActionGroup::View,
       "to-begin",
       N_("go to the start of the run"),
       {{key::Home, kCtrl}},
       [](ShellState& s) { to_edge(s, false); }},
      {Action::ToEnd,
       ActionGroup::View,
       "to-end",
       N_("go to the end of the run"),
       {{key::End, kCtrl}},
       [](ShellState& s) { to_edge(s, true); }},
  };
}

std::vector<ActionInfo> step_actions() {
  return {
      {Action::PreviousEvent,
       ActionGroup::View,
       "previous-event",
       N_("previous event on the lane"),
       {{key::Comma}},
       [](ShellState& s) { step(s, Along::Back, false); }},
      {Action::NextEvent,
       ActionGroup::View,
       "next-event",
       N_("next event on the lane"),
       {{key::Period}},
       [](ShellState& s) { step(s, Along::Forth, false); }},
      {Action::PreviousSameName,
       ActionGroup::View,
       "previous-same",
       N_("previous event of the same name"),
       {{key::Comma, kShift}},
       [](ShellState& s) { step(s, Along::Back, true); },
       nullptr,
       no_event},
      {Action::NextSameName,
       ActionGroup::View,
       "next-same",
       N_("next gap of this place, or event of this name"),
       {{key::Period, kShift}},
       [](ShellState& s) { step(s, Along::Forth, true); },
       nullptr,
       no_event},
      {Action::EventAbove,
       ActionGroup::View,
       "event-above",
       N_("nearest event on the lane above"),
       {},
       [](ShellState& s) { step_lane(s, Along::Back); },
       nullptr,
       no_event},
      {Action::EventBelow,
       ActionGroup::View,
       "event-below",
       N_("nearest event on the lane below"),
       {},
       [](ShellState& s) { step_lane(s, Along::Forth); },
       nullptr,
       no_event},
      {Action::FollowLink,
       ActionGroup::View,
       "follow-link",
       N_("from a call to its GPU work, and back"),
       {{key::Enter}},
       follow_link,
       no_event},
      {Action::SelectIteration,
       ActionGroup::View,
       "select-iteration",
       N_("select the iteration it belongs to"),
       {},
       select_iteration},
      {Action::ClearSelection,
       ActionGroup::View,
       "clear-selection",
       N_("clear the selection, close open panels"),
       {{key::Escape}},
       close_topmost},
  };
}

}  // namespace lanescope::ui
