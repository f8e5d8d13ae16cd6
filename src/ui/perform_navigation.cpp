#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "ui/neighbours.h"
#include "ui/panels/panels.h"
#include "ui/perform.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr double kHoldPixelsPerSecond = 1300;
constexpr double kHoldZoomPerSecond = 2.1;  // e-folds: eight times closer or further in a second
constexpr float kLaneMargin = 8;

float middle_of(const TimeAxis& axis) { return (axis.left_px() + axis.right_px()) / 2; }

/// What F is about: a stretch of time.
std::optional<std::pair<Nanoseconds, Nanoseconds>> selected_stretch(const Selection& selection) {
  if (selection.range) return selection.range;
  if (selection.event) {
    const trace::Event& e = selection.event->event;
    return std::pair{e.start_ns, std::max(e.end_ns, e.start_ns + 1)};
  }
  if (selection.bubble) return std::pair{selection.bubble->start_ns, selection.bubble->end_ns};
  return std::nullopt;
}

// First centred at this zoom; where it is so already, fitted.
void fit(ShellState& state) {
  const auto stretch = selected_stretch(state.selection);
  if (!stretch) return state.view.fit(state.model);
  const auto [from, to] = *stretch;
  const TimeAxis before = state.view.destination();
  state.view.centre(from + (to - from) / 2);
  if (ViewHistory::alike(before, state.view.destination())) state.view.show(from, to);
}

void reveal_lane(ShellState& state, const EventRef& event) {
  const auto area = state.places.find("timeline");
  const auto rect = state.timeline.event_rect(event, state.view.axis());
  if (area == state.places.end() || !rect) return;
  const float s = state.scale();
  const float top = area->second.y + (Timeline::kRulerHeight + kLaneMargin) * s;
  const float bottom = area->second.y + area->second.height - kLaneMargin * s;
  if (rect->y < top) state.navigation.scroll.target = state.scroll + rect->y - top;
  if (rect->y + rect->height > bottom) state.navigation.scroll.target = state.scroll + rect->y + rect->height - bottom;
}

void select_and_follow(ShellState& state, const EventRef& event) {
  const TimeAxis going = state.view.destination();
  select_event(state, event);
  if (!ViewHistory::alike(going, state.view.axis())) state.view.go_on_to(going);  // further on the way it was
  state.view.reveal(event.event.start_ns, event.event.end_ns);
  reveal_lane(state, event);
}

// Where to begin when no event is selected: on the pointed lane or the first that has any, nearest to the view's
// middle.
std::optional<EventRef> first_event(const ShellState& state, Along along) {
  const trace::Trace& trace = state.model.trace();
  const Nanoseconds edge = state.model.live_edge();
  const TimeAxis axis = state.view.destination();
  if (state.selection.bubble) {  // the work before it, or after it
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
  if (!state.selection.event) return state.show_toast(tr("Select a call or GPU work first"));
  // Of a wait it leads to the work that was waited for, whose own link is its launch: the way back is kept.
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
  // A little room beside it, so that it is seen to be the end.
  const auto half = static_cast<Nanoseconds>(axis.span_ns() * 0.47);
  state.view.centre(end ? to - half : from + half);
}

void scroll_lanes(ShellState& state, float direction) {
  const auto area = state.places.find("timeline");
  const float page = area == state.places.end() ? 200 : area->second.height * 0.6f;
  state.navigation.scroll.by(state.scroll, direction * page);
  state.lane_hands.carried.reset();  // what is under the mouse now is meant
}

}  // namespace

bool perform_navigation(ShellState& state, Action action) {
  ViewControl& view = state.view;
  switch (action) {
    case Action::Fit:
      fit(state);
      return true;
    case Action::FitAll:
      view.fit(state.model);
      return true;
    case Action::ZoomIn:
      view.zoom(1.5, middle_of(view.axis()));
      return true;
    case Action::ZoomOut:
      view.zoom(1 / 1.5, middle_of(view.axis()));
      return true;
    case Action::PanLeft:
      view.glide(120 * state.scale());
      return true;
    case Action::PanRight:
      view.glide(-120 * state.scale());
      return true;
    case Action::ScrollUp:
      scroll_lanes(state, -1);
      return true;
    case Action::ScrollDown:
      scroll_lanes(state, 1);
      return true;
    case Action::ViewBack:
      if (!view.back()) state.show_toast(tr("There is no previous view"));
      return true;
    case Action::ViewForward:
      if (!view.forward()) state.show_toast(tr("There is no next view"));
      return true;
    case Action::GoTo:
      state.go_to_open = true;
      return true;
    case Action::ToBegin:
      to_edge(state, false);
      return true;
    case Action::ToEnd:
      to_edge(state, true);
      return true;
    case Action::PreviousEvent:
      step(state, Along::Back, false);
      return true;
    case Action::NextEvent:
      step(state, Along::Forth, false);
      return true;
    case Action::PreviousSameName:
      step(state, Along::Back, true);
      return true;
    case Action::NextSameName:
      step(state, Along::Forth, true);
      return true;
    case Action::EventAbove:
      step_lane(state, Along::Back);
      return true;
    case Action::EventBelow:
      step_lane(state, Along::Forth);
      return true;
    case Action::FollowLink:
      follow_link(state);
      return true;
    case Action::SelectIteration:
      select_iteration(state);
      return true;
    default:
      return false;
  }
}

void hold_navigation(ShellState& state, Action action, double /*seconds*/) {
  const TimeAxis& axis = state.view.axis();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float at = mouse.x >= axis.left_px() && mouse.x <= axis.right_px() ? mouse.x : middle_of(axis);
  const double pan = kHoldPixelsPerSecond * static_cast<double>(state.scale());
  switch (action) {
    case Action::ZoomIn:
      state.view.push(0, kHoldZoomPerSecond, at);
      break;
    case Action::ZoomOut:
      state.view.push(0, -kHoldZoomPerSecond, at);
      break;
    case Action::PanLeft:
      state.view.push(pan, 0, at);
      break;
    case Action::PanRight:
      state.view.push(-pan, 0, at);
      break;
    default:
      break;
  }
}

}  // namespace lanescope::ui
