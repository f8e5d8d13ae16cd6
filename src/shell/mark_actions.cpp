#include "shell/mark_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/translate.h"
#include "inspect/destination.h"
#include "shell/action_rows.h"
#include "shell/finding.h"
#include "shell/shell_state.h"
#include "timeline/timeline_drag.h"

namespace lanescope::ui {
namespace {

using base::tr;

std::string key_of(const ShellState& state, std::optional<trace::LaneId> lane) {
  return lane ? state.timeline.key_of(*lane).value_or(std::string()) : std::string();
}

// The target lane: the selected event's, else the one under the mouse.
std::string lane_meant(const ShellState& state) {
  const Selection& selection = state.selection;
  if (selection.event) return key_of(state, selection.event->lane);
  if (selection.bubble) return {};
  return key_of(state, state.pointed.lane);
}

// The target instant: the start of the selection, else the mouse, else the middle of the view.
Nanoseconds moment_meant(const ShellState& state) {
  const Selection& selection = state.selection;
  if (selection.event) return selection.event->event.start_ns;
  if (selection.bubble) return selection.bubble->start_ns;
  if (selection.range) return selection.range->first;
  if (state.pointed.at) return *state.pointed.at;
  const TimeAxis& axis = state.view.axis();
  return axis.to_ns((axis.left_px() + axis.right_px()) / 2);
}

void add_ruler(ShellState& state) {
  Marks& marks = state.marks;
  if (marks.open) {
    const Measure open = *std::exchange(marks.open, std::nullopt);
    if (open.from != open.to) marks.add_ruler(open.from, open.to, open.lane);
    return;
  }
  const Selection& selection = state.selection;
  if (selection.event && selection.event->event.duration() > 0) {
    const trace::Event& e = selection.event->event;
    marks.add_ruler(e.start_ns, e.end_ns, lane_meant(state));
  } else if (selection.bubble) {
    const auto& lanes = state.timeline.bubble_row(state.model.analysis(), selection.bubble->gpu);
    marks.add_ruler(selection.bubble->start_ns, selection.bubble->end_ns,
                    lanes ? key_of(state, state.timeline.lane_at(lanes->y + lanes->height / 2)) : std::string());
  } else if (selection.range) {
    marks.add_ruler(selection.range->first, selection.range->second,
                    selection.lanes.empty() ? std::string() : key_of(state, selection.lanes.front()));
  } else if (state.pointed.at) {
    Measure open;
    open.from = open.to = state.pointed.snapped.value_or(*state.pointed.at);
    open.lane = lane_meant(state);
    marks.open = open;
  } else {
    state.show_toast(tr("point at where the ruler should begin, or select what it should measure"));
  }
}

void add_bookmark(ShellState& state, bool note) {
  Marks& marks = state.marks;
  Bookmark bookmark;
  bookmark.at = moment_meant(state);
  bookmark.span_ns = state.view.axis().span_ns();
  bookmark.lane = lane_meant(state);
  const std::uint32_t id = marks.add_bookmark(bookmark);
  state.view.pan(0);  // freeze the view, so that the noted place stays visible
  marks.shown = id;
  if (note) {
    marks.editing = id;
    marks.edit_text.clear();
    marks.edit_begins = true;
    state.await_field();
  } else {
    const Nanoseconds since = bookmark.at - state.model.extent().first;
    state.show_toast(tr("bookmark at {}", time_in_full(since)));
  }
}

void walk_bookmarks(ShellState& state, int direction) {
  const Bookmark* shown = state.marks.shown ? state.marks.bookmark(*state.marks.shown) : nullptr;
  const TimeAxis& axis = state.view.axis();
  const bool in_view = shown && shown->at >= axis.begin_ns() && shown->at < axis.end_ns();
  const Nanoseconds from = in_view ? shown->at : axis.to_ns((axis.left_px() + axis.right_px()) / 2);
  const Bookmark* next = direction > 0 ? state.marks.after(from) : state.marks.before(from);
  if (!next) {
    state.show_toast(state.marks.bookmarks.empty() ? tr("no bookmarks yet: K sets one")
                     : direction > 0               ? tr("no bookmark after this")
                                                   : tr("no bookmark before this"));
    return;
  }
  go_to_bookmark(state, next->id);
}

// What the mouse points at, or else what is selected.
std::optional<PinnedTooltip> tooltip_meant(const ShellState& state) {
  PinnedTooltip pin;
  const Selection& selection = state.selection;
  if (state.pointed.hit && !state.pointed.hit->open && state.pointed.at) {
    pin.hit = *state.pointed.hit;
    pin.at = *state.pointed.at;
    return pin;
  }
  if (selection.event) {
    pin.hit.event = selection.event;
    pin.hit.lane = selection.event->lane;
    pin.at = selection.event->event.start_ns + selection.event->event.duration() / 2;
    return pin;
  }
  if (!selection.bubble) return std::nullopt;
  const auto row = state.timeline.bubble_row(state.model.analysis(), selection.bubble->gpu);
  const auto lane = row ? state.timeline.lane_at(row->y + row->height / 2) : std::nullopt;
  if (!lane) return std::nullopt;
  pin.hit.bubble = selection.bubble;
  pin.hit.lane = *lane;
  pin.at = selection.bubble->start_ns + selection.bubble->duration() / 2;
  return pin;
}

void pin_tooltip(ShellState& state) {
  std::optional<PinnedTooltip> meant = tooltip_meant(state);
  if (!meant) {
    state.show_toast(tr("point at an event to pin its tooltip"));
    return;
  }
  PinnedTooltip pin = std::move(*meant);
  pin.dx = 24;
  pin.dy = 40;
  pin.id = state.marks.take_id();
  state.marks.pinned.push_back(std::move(pin));
  state.view.pan(0);
}

void remove_rulers(ShellState& state) {
  if (!state.marks.rulers.empty()) state.marks.changed();
  state.marks.rulers.clear();
  state.marks.open.reset();
}

}  // namespace

void go_to_bookmark(ShellState& state, std::uint32_t id) {
  const Bookmark* b = state.marks.bookmark(id);
  if (!b) return;
  state.marks.shown = id;
  state.view.look_at(b->at, b->span_ns > 0 ? b->span_ns : state.view.axis().span_ns());
}

std::vector<ActionInfo> mark_actions() {
  return {
      {Action::AddRuler,
       ActionGroup::Reading,
       "ruler",
       N_("ruler: on the selection, or at the mouse"),
       {{key::M}},
       add_ruler},
      {Action::RemoveRulers, ActionGroup::Reading, "remove-rulers", N_("remove all rulers"), {}, remove_rulers},
      {Action::PinTooltip, ActionGroup::Reading, "pin-tooltip", N_("pin the tooltip to the screen"), {}, pin_tooltip},
      {Action::AddBookmark,
       ActionGroup::Reading,
       "bookmark",
       N_("bookmark: this view, this moment, this lane"),
       {},
       [](ShellState& s) { add_bookmark(s, false); }},
      {Action::AddNote,
       ActionGroup::Reading,
       "note",
       N_("a note at this moment on this lane"),
       {},
       [](ShellState& s) { add_bookmark(s, true); }},
      {Action::PreviousBookmark,
       ActionGroup::Reading,
       "previous-mark",
       N_("previous bookmark or note"),
       {},
       [](ShellState& s) { walk_bookmarks(s, -1); }},
      {Action::NextBookmark,
       ActionGroup::Reading,
       "next-mark",
       N_("next bookmark or note"),
       {},
       [](ShellState& s) { walk_bookmarks(s, 1); }},
      {Action::MarksList,
       ActionGroup::Reading,
       "marks",
       N_("list of rulers, bookmarks and notes"),
       {},
       [](ShellState& s) { toggle_drawer(s, DrawerTab::Marks); }},
  };
}

}  // namespace lanescope::ui
