#include "shell/selecting.h"

#include "shell/shell_state.h"
#include "trace/links.h"

namespace lanescope::ui {
namespace {

constexpr std::size_t kMostArrows = 240;

void update_lit(ShellState& state) {
  CauseState& cause = state.cause;
  // An averaged event is not where any of its original events are.
  const auto& hit = state.pointed.hit && state.pointed.hit->averaged ? std::nullopt : state.pointed.hit;
  const std::optional<EventRef> event = hit ? hit->event : std::nullopt;
  const std::optional<Nanoseconds> bubble = hit && hit->bubble ? std::optional(hit->bubble->start_ns) : std::nullopt;
  if (event == cause.lit_event && bubble == cause.lit_bubble) return;
  cause.lit_event = event;
  cause.lit_bubble = bubble;
  cause.highlight = event                ? highlight_of(state.model.analysis().links(), *event)
                    : hit && hit->bubble ? highlight_of(state.model.analysis().links(), *hit->bubble)
                                         : Highlight{};
}

// How often the bubble repeats: in the verdict's time range, or for a file, in the whole trace.
Repeats repeats_now(const ShellState& state, const analysis::Bubble& bubble) {
  const analysis::Summary& recent = state.model.recent();
  const bool in_recent = bubble.start_ns >= recent.from_ns && bubble.start_ns < recent.to_ns;
  const auto [from, to] = in_recent ? std::pair(recent.from_ns, recent.to_ns) : state.model.extent();
  return repeats_of(state.model.analysis(), bubble, from, to);
}

void update_path(ShellState& state) {
  CauseState& cause = state.cause;
  const Selection& selection = state.selection;
  const auto bubble = selection.bubble ? std::optional(selection.bubble->start_ns) : std::nullopt;
  if (selection.event == cause.path_event && bubble == cause.path_bubble) return;
  cause.path_event = selection.event;
  cause.path_bubble = bubble;
  cause.path = selection.event    ? cause_path(state.model.analysis(), *selection.event)
               : selection.bubble ? cause_path(state.model.analysis().links(), *selection.bubble)
                                  : CausePath{};
  cause.ordinary_gap = 0;
  const analysis::Pace& pace = state.model.recent().pace;
  // What is selected as a bubble is meant.
  if (selection.event && !matters(cause.path, least_that_matters(pace.known() ? pace.ns : 0))) {
    if (cause.path.bubble) cause.ordinary_gap = cause.path.bubble->duration();
    cause.path = {};
  }
  cause.repeats = cause.path.bubble ? repeats_now(state, *cause.path.bubble) : Repeats{};
}

// The nodes of a selected graph launch, with arrows from it, or of the graph of a selected node.
void show_graph(CauseState& cause, const trace::Links& links, const EventRef& event) {
  const bool launch = event.event.kind == trace::EventKind::Call;
  for (const EventRef& node : graph_nodes(links, event)) {
    cause.graph.push_back({node.lane, node.row, node.index, node.index + 1});
    if (launch && cause.launches.size() < kMostArrows) cause.launches.push_back({event, node});
  }
}

// Arrows from all launches in a selected time range, or in a selected range (event) of the program.
void update_launches(ShellState& state) {
  CauseState& cause = state.cause;
  std::optional<std::pair<Nanoseconds, Nanoseconds>> of = state.selection.range;
  if (!of && state.selection.event && state.selection.event->event.kind == trace::EventKind::Range) {
    of = {state.selection.event->event.start_ns, state.selection.event->event.end_ns};
  }
  if (of == cause.launches_of && state.selection.event == cause.launches_event) return;
  cause.launches_of = of;
  cause.launches_event = state.selection.event;
  cause.launches.clear();
  cause.graph.clear();
  const trace::Links& links = state.model.analysis().links();
  if (of) {
    cause.launches = launches_in(links, of->first, of->second, kMostArrows);
  } else if (state.selection.event) {
    show_graph(cause, links, *state.selection.event);
  }
}

}  // namespace

void select_event(ShellState& state, const EventRef& event) {
  state.selection.clear();
  state.selection.event = event;
  const trace::Links& links = state.model.analysis().links();
  if (trace::is_gpu_work(event.event.kind)) {
    state.selection.linked = links.call_of(event);
  } else if (trace::is_sync(event.event)) {
    state.selection.linked = links.waited_for(event);
  } else if (event.event.kind == trace::EventKind::Call) {
    state.selection.linked = links.operation_of(event);
  }
  state.view.pan(0);  // freeze the view, so that the selected event stays visible
}

void select_range(ShellState& state, Nanoseconds from, Nanoseconds to) {
  state.selection.clear();
  if (to <= from) return;
  state.selection.range = {from, to};
  state.view.pan(0);
}

void update_causes(ShellState& state) {
  if (state.cause.generation != state.model.generation()) {
    state.cause = {};
    state.cause.generation = state.model.generation();
  }
  update_lit(state);
  update_path(state);
  update_launches(state);
}

}  // namespace lanescope::ui
