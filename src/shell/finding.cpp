#include "shell/finding.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/time.h"
#include "base/translate.h"
#include "shell/action_rows.h"
#include "shell/selecting.h"

namespace lanescope::ui {
namespace {

using std::chrono::steady_clock;

bool pulse_lasts(const std::optional<steady_clock::time_point>& since) {
  return since && base::now() - *since < std::chrono::duration<double>(kPulseSeconds);
}

// Newly found events may come before the one that is shown.
void keep_place(ShellState& state) {
  SearchState& search = state.search;
  if (!search.shown) return;
  const trace::Trace& trace = state.model.trace();
  const analysis::EventKey key = analysis::key_of(trace, *search.shown);
  const auto place =
      std::ranges::lower_bound(search.found, key, {}, [&](const EventRef& e) { return analysis::key_of(trace, e); });
  if (place != search.found.end() && *place == *search.shown) {
    search.at = static_cast<std::size_t>(place - search.found.begin());
  } else {
    search.at.reset();
    search.shown.reset();
  }
}

void search(ShellState& state) {
  make_room_for_drawer(state);
  open_search(state);
}

std::string no_search(const ShellState& state) { return state.search.text.empty() ? base::tr("no search yet") : ""; }

}  // namespace

void update_finding(ShellState& state) {
  const auto now = base::now();
  SearchState& search = state.search;
  const trace::SharedTrace trace = state.model.shared_trace();
  search.ask(search.open ? search.text : std::string());
  if (search.update(trace, now)) keep_place(state);
  if (search.found.empty()) {
    search.at.reset();
    search.shown.reset();
  }
  if (search.walk_wanted && (!search.found.empty() || !search.searching())) {
    search.walk_wanted = false;
    walk_found(state, true);
  }
  if (!pulse_lasts(search.pulse)) search.pulse.reset();
  state.event_list.matches.ask(state.drawer == DrawerTab::Events ? state.event_list.filter : std::string());
  if (state.event_list.matches.update(trace, now)) state.event_list.read = {};
  if (state.drawer != DrawerTab::Events) state.event_list.hovered.reset();
  if (state.drawer != DrawerTab::Found) search.hovered.reset();
  state.range_figures.update(trace, state.selection.range, state.selection.lanes, now);
  if (!pulse_lasts(state.range_figures.lit_since)) state.range_figures.lit_since.reset();
  update_name_figures(state);
  if (state.copied && now >= state.copied->until) state.copied.reset();
}

void end_finding(ShellState& state) {
  SearchState& search = state.search;
  search.end();
  search.forget_place();
  state.event_list.matches.end();
  state.event_list.shown.clear();
  state.event_list.hovered.reset();
  state.event_list.selected.reset();
  state.event_list.top = {};
  state.event_list.read = {};
  state.statistics.end();
  state.name_figures.job.end();
  state.range_figures.job.end();
  state.range_figures.names.clear();
  state.range_figures.lit_bin.reset();
  state.range_figures.lit_since.reset();
}

bool finding_moves(const ShellState& state) {
  return state.search.busy() || state.search.pulse || state.event_list.matches.busy() ||
         state.range_figures.job.moves() || state.name_figures.job.moves() || state.copied ||
         state.range_figures.lit_since;
}

void make_room_for_drawer(ShellState& state) { state.presentation.on = state.comparison.state.open = false; }

void show_drawer(ShellState& state, DrawerTab tab) {
  make_room_for_drawer(state);
  state.drawer = tab;
}

void toggle_drawer(ShellState& state, DrawerTab tab) {
  show_drawer(state, state.drawer == tab ? DrawerTab::Closed : tab);
}

void open_search(ShellState& state) {
  state.search.open = true;
  state.search.focus_wanted = true;
  state.await_field();
  state.presentation.on = false;  // it has no search field
  state.drawer = DrawerTab::Found;
}

void search_for(ShellState& state, const std::string& text) {
  open_search(state);
  state.search.text = text;
  ++state.search.field_number;
  state.search.top = 0;
}

bool close_search(ShellState& state) {
  SearchState& search = state.search;
  if (!search.open) return false;
  search.open = search.focus_wanted = search.walk_wanted = false;
  search.text.clear();
  ++search.field_number;
  search.field_active = false;
  search.ask({});
  search.forget_place();
  search.pulse.reset();
  if (state.drawer == DrawerTab::Found) state.drawer = DrawerTab::Closed;
  return true;
}

void reveal(ShellState& state, const EventRef& event) {
  const TimeAxis& axis = state.view.axis();
  const Nanoseconds from = event.event.start_ns;
  const Nanoseconds to = std::max(event.event.end_ns, from + 1);
  const double span = axis.span_ns();
  const bool in_view = from >= axis.begin_ns() && to <= axis.end_ns();
  const bool across = from <= axis.begin_ns() && to >= axis.end_ns();
  if (!in_view && !across) {
    const Nanoseconds middle = from + (to - from) / 2;
    const float x = axis.to_px(middle);
    const bool fits = static_cast<double>(to - from) < 0.8 * span;
    const bool near = x > axis.left_px() - TimeAxis::kOffscreenPx / 2 && x < TimeAxis::kOffscreenPx / 2;
    if (fits && near) {
      state.view.pan(0);
      state.view.glide(axis.left_px() + axis.width_px() / 2 - x);
    } else if (fits) {
      const auto half = static_cast<Nanoseconds>(0.4 * span);  // show() leaves a margin of a tenth
      state.view.show(middle - half, middle + half);
    } else {
      state.view.show(from, to);
    }
  }
  state.scroll[static_cast<std::size_t>(state.timeline.pane_of(event.lane))] =
      state.timeline.scroll_to_show(event, 8 * state.scale());
}

void select_listed(ShellState& state, const EventRef& event) {
  select_event(state, event);
  reveal(state, event);
}

void show_example(ShellState& state, const EventRef& event) {
  constexpr float kLeast = 4, kWanted = 50;  // pixels
  select_listed(state, event);
  const TimeAxis& axis = state.view.axis();
  const Nanoseconds duration = std::max<Nanoseconds>(1, event.event.duration());
  if (axis.length_px(duration) >= kLeast * state.scale()) return;
  const double half = static_cast<double>(duration) * axis.width_px() / (2 * kWanted * state.scale());
  const Nanoseconds middle = event.event.start_ns + duration / 2;
  state.view.show(middle - static_cast<Nanoseconds>(half), middle + static_cast<Nanoseconds>(half));
}

void show_found(ShellState& state, std::size_t at) {
  SearchState& search = state.search;
  if (at >= search.found.size()) return;
  search.at = at;
  search.shown = search.found[at];
  search.scroll_to_shown = true;
  if (state.preferences.animation) search.pulse = base::now();
  select_listed(state, *search.shown);
}

void walk_found(ShellState& state, bool forward) {
  SearchState& search = state.search;
  if (!search.open) return open_search(state);
  if (search.found.empty() && search.searching()) {
    search.walk_wanted = true;
    return;
  }
  const bool selected = state.selection.event.has_value();
  const Nanoseconds from =
      selected ? state.selection.event->event.start_ns : state.view.axis().begin_ns() + (forward ? 0 : 1);
  if (const auto at = next_found(search, forward, from)) show_found(state, *at);
}

std::vector<ActionInfo> finding_actions() {
  return {
      {Action::Search,
       ActionGroup::Reading,
       "search",
       N_("search events by name"),
       {{key::Slash}, {key::F, kCtrl}},
       search},
      {Action::NextFound,
       ActionGroup::Reading,
       "next-found",
       N_("next event found"),
       {{key::F3}},
       [](ShellState& s) { walk_found(s, true); },
       nullptr,
       no_search},
      {Action::PreviousFound,
       ActionGroup::Reading,
       "previous-found",
       N_("previous event found"),
       {{key::F3, kShift}},
       [](ShellState& s) { walk_found(s, false); },
       nullptr,
       no_search},
      {Action::EventList,
       ActionGroup::Reading,
       "event-list",
       N_("list of events, linked to the timeline"),
       {},
       [](ShellState& s) { toggle_drawer(s, DrawerTab::Events); }},
      {Action::Statistics,
       ActionGroup::Reading,
       "statistics",
       N_("statistics by name: all of it, or the range"),
       {},
       [](ShellState& s) { toggle_drawer(s, DrawerTab::Statistics); }},
      {Action::Ranks,
       ActionGroup::Reading,
       "ranks",
       N_("table of ranks: who arrives last, and who waits"),
       {},
       [](ShellState& s) { toggle_drawer(s, DrawerTab::Ranks); },
       [](const ShellState& s) {
         return s.job.has_ranks() ? "" : std::string(base::tr("there are no collectives of several GPUs"));
       }},
  };
}

}  // namespace lanescope::ui
