// The list of events, synchronised with the timeline.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "base/time.h"
#include "base/translate.h"
#include "shell/finding.h"
#include "window/panels/lists/event_table.h"
#include "window/panels/lists/lists_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

// A moving list is updated only a few times a second, so that it stays readable.
constexpr std::chrono::milliseconds kReadable{250};
constexpr float kEventBar = 14;

std::pair<Nanoseconds, Nanoseconds> stretch(const ShellState& state) {
  const auto [begin, end] = state.model.trace().extent();
  const TimeAxis& axis = state.view.axis();
  switch (state.event_list.scope) {
    case ListScope::Selection:
      if (state.selection.range) return *state.selection.range;
      return {axis.begin_ns(), axis.end_ns()};
    case ListScope::View:
      return {axis.begin_ns(), axis.end_ns()};
    case ListScope::All:
      break;
  }
  return {begin, end + 1};
}

// Filter and scope, in the row of the tabs.
void draw_event_choices(const Canvas& c) {
  ShellState& state = c.state;
  EventListState& list = state.event_list;
  const float s = c.scale;
  const Rect row = state.places["drawer.header"];
  std::vector<std::string> texts{tr("in view"), tr("whole run")};
  std::vector<ListScope> scopes{ListScope::View, ListScope::All};
  if (state.selection.range) {
    texts.insert(texts.begin() + 1, tr("range"));
    scopes.insert(scopes.begin() + 1, ListScope::Selection);
  } else if (list.scope == ListScope::Selection) {
    list.scope = ListScope::View;
  }
  float right = row.x + row.width - 16 * s;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  for (std::size_t i = texts.size(); i-- > 0;) {
    const bool on = list.scope == scopes[i];
    const float width = text_width(c.fonts, FontRole::SmallBold, texts[i]) + 16 * s;
    right -= width;
    ImGui::SetCursorScreenPos({right, row.y});
    const std::string id = "event_list.scope." + std::to_string(static_cast<int>(scopes[i]));
    if (press_area(c, id.c_str(), {width, 20 * s})) {
      list.scope = scopes[i];
      list.top = {};
      list.read = {};
      list.view = {};
    }
    note_control(c, id);
    if (on) draw.AddRectFilled({right, row.y}, {right + width, row.y + 20 * s}, c.theme[Colour::PanelRaised], 4 * s);
    const Colour ink = on ? Colour::Accent : ImGui::IsItemHovered() ? Colour::Text : Colour::Muted;
    draw_label(c, {right, row.y, width, 20 * s}, c.theme.as_text(ink), on ? FontRole::SmallBold : FontRole::Small,
               texts[i], LabelAlign::Centre);
    right -= 4 * s;
  }
  right -= 8 * s;
  const float width = std::min(220 * s, right - row.x);
  if (width < 60 * s) return;
  const Rect place{right - width, row.y, width, 0};
  if (list_field(c, "filter", tr("filter by name"), list.filter, place)) list.read = {};
  note_control(c, "event_list.filter");
}

// Reads the rows to show, if the view, the selection, the trace or the list itself has changed.
void follow(ShellState& state, const ListWish& wish) {
  EventListState& list = state.event_list;
  const trace::Trace& trace = state.model.trace();
  const auto now = base::now();
  const bool running = !state.view.frozen_by_hand() && state.model.live();
  const std::pair view{state.view.axis().begin_ns(), state.view.axis().end_ns()};
  const bool moved = list.view != view;
  const bool chosen = state.selection.event != list.selected && state.selection.event;
  if (now - list.read < kReadable && (running || (!moved && !chosen)) && list.rows == wish.rows) return;
  list.view = view;
  list.selected = state.selection.event;
  list.rows = wish.rows;
  list.read = now;
  const auto& selected = state.selection.event;
  const bool in_view = selected && selected->event.start_ns < view.second && selected->event.end_ns >= view.first;
  if (chosen || (moved && in_view)) {
    const bool there = std::find(list.shown.begin(), list.shown.end(), *selected) != list.shown.end();
    if (!there || moved) show_in_event_list(list, trace, wish, *selected);
  } else if (moved) {
    list.top = {std::max(view.first, wish.from), {}, 0, 0, 0};
    if (list.scope == ListScope::View) list.top = {};
  }
  read_event_list(list, trace, wish);
}

}  // namespace

void draw_event_list(const Canvas& c) {
  ShellState& state = c.state;
  EventListState& list = state.event_list;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  draw_event_choices(c);
  const Rect area{at.x, at.y + 26 * s, size.x - kEventBar * s, size.y - 26 * s};
  const auto [from, to] = stretch(state);
  ListWish wish{from, to, {}, rows_that_fit(c, area)};
  if (state.selection.range && list.scope == ListScope::Selection) wish.lanes = state.selection.lanes;
  if (wish.rows == 0) return;
  const trace::Trace& trace = state.model.trace();
  if (const int rows = wheel_rows(area); rows != 0) {
    state.view.pan(0);  // freeze the view, so that the list can be read
    scroll_event_list(list, trace, wish, rows);
    read_event_list(list, trace, wish);
  }
  follow(state, wish);

  const Nanoseconds origin = state.model.live() ? 0 : state.model.extent().first;
  std::optional<EventRef> pointed;
  if (state.pointed.hit) pointed = state.pointed.hit->event;
  const EventTable table{"event_list", area, origin, state.selection.event, pointed};
  std::string note = list.counts_filtered
                         ? tr("{} events", base::format_count(static_cast<std::int64_t>(list.count)))
                         : tr("among {} events", base::format_count(static_cast<std::int64_t>(list.count)));
  if (list.cut) note = std::string(tr("few matches, far apart")) + " · " + note;
  draw_table_header(c, table, note);
  const EventTableAnswer answer = draw_table_rows(c, table, list.shown);
  if (list.hovered != answer.hovered) list.hovered = answer.hovered;
  if (answer.clicked) {
    list.selected = answer.clicked;  // the list stays as it is
    select_listed(state, *answer.clicked);
  }
  if (list.shown.empty()) {
    const char* says = list.cut              ? tr("no event of that name nearby")
                       : list.filter.empty() ? tr("no events in this range")
                                             : tr("no event of that name in this range");
    const Rect box{area.x + 16 * s, area.y + kListHeader * s, area.width - 32 * s, 40 * s};
    return draw_label(c, box, c.theme.as_text(Colour::Muted), FontRole::Body, says);
  }
  // The bar represents time: its position is a time, not an index.
  const auto span = static_cast<double>(std::max<Nanoseconds>(1, to - from));
  const Nanoseconds first = list.shown.front().event.start_ns;
  const Nanoseconds last = list.shown.back().event.start_ns;
  const bool all = list.shown.size() < wish.rows || list.count <= wish.rows;
  const Rect track{area.x + area.width, area.y + kListHeader * s, kEventBar * s, area.height - kListHeader * s};
  const auto begin = static_cast<double>(std::max<Nanoseconds>(0, first - from)) / span;
  const auto length = all ? 1.0 : static_cast<double>(std::max<Nanoseconds>(1, last - std::max(first, from))) / span;
  if (const auto wanted = draw_scroll_bar(c, "event_list.bar", track, begin, std::min(length, 0.999))) {
    state.view.pan(0);
    list.top = {from + static_cast<Nanoseconds>(*wanted * span), {}, 0, 0, 0};
    read_event_list(list, trace, wish);
  }
}

}  // namespace lanescope::ui
