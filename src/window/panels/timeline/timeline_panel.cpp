#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "model/code/code_layout.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "shell/finding.h"
#include "shell/selecting.h"
#include "timeline/found_marks.h"
#include "timeline/mark_shapes.h"
#include "timeline/timeline_drag.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kStallLabel = 28;  // room for the label of the costliest stall

void draw_cross_line(const Canvas& c, const Rect& area, float x) {
  const TimeAxis& axis = c.state.view.axis();
  if (x < axis.left_px() || x > axis.right_px()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({x, c.state.timeline.rows_top()}, {x, area.y + area.height}, with_alpha(c.theme[Colour::Muted], 0.45f));
}

}  // namespace

// The shown iteration, and the lanes that it or the other side uses.
static void frame_iteration(const ShellState& state, TimelineFrame& frame) {
  const SharedSnapshot below = run_below(state.comparison);
  if (below) frame.beside = below->trace.get();
  if (state.model.steering()) {
    const auto records = state.model.analysis().records();
    const auto& markers = state.model.analysis().markers();
    // Since the turn before the last one: the lanes of both sides stay.
    const std::size_t first = records.size() > kLastIterations ? records.size() - kLastIterations : 0;
    Nanoseconds since = records.empty() ? 0 : records[first].start_ns;
    if (markers.size() > 1) since = std::min(since, markers[markers.size() - 2].start_ns);
    frame.used_since = since;
  }
  const auto& shown = state.view.shown_iteration();
  const TimeAxis& axis = state.view.axis();
  // Of many in view, none is the one that is shown.
  const float least = state.view.mode() == ViewMode::Trigger && state.model.live() ? 0.01f : 0.35f;
  if (!shown) return;
  const Nanoseconds seen = std::min(shown->end_ns, axis.end_ns()) - std::max(shown->start_ns, axis.begin_ns());
  if (seen <= 0 || axis.length_px(seen) < least * axis.width_px()) return;
  if (shown->duration() > 3 * static_cast<Nanoseconds>(axis.span_ns())) return;
  frame.iteration = {shown->start_ns, shown->end_ns};
  frame.iteration_says =
      tr("iteration {}", base::format_count(shown->number)) + "   " + base::format_duration(shown->duration(), 4);
  if (state.view.refit() > 1.15) frame.iteration_says += fmt::format("   {:.2g}x", state.view.refit());
}

TimelineFrame timeline_frame(const Canvas& c) {
  ShellState& state = c.state;
  TimelineFrame frame{state.model.trace(),
                      &state.model.analysis(),
                      c.theme,
                      state.model.live_edge(),
                      state.model.live(),
                      state.view.label_origin(),
                      &state.selection,
                      c.scale,
                      0,
                      state.model.open_calls(),
                      state.model.now()};
  frame.panes = PaneChoice{state.preferences.cpu_share, state.scroll};
  frame.layout = &state.lanes;
  frame.colouring = &state.colours.colouring;
  if (shows_average(state)) {
    frame.average = &state.scope.picture;
    frame.average_at = *state.view.trigger_instant();
  }
  if (state.preferences.animation) frame.seconds = static_cast<double>(ImGui::GetIO().DeltaTime);
  frame_iteration(state, frame);
  const bool loop = state.model.steering() || frame.iteration;
  frame.head = (loop ? Timeline::kIterationLine + kStallLabel : 0) * c.scale;
  return frame;
}

namespace {

// What is under the mouse: for tooltips, for highlighting related events, and for actions that apply "here".
void point(const Canvas& c, const TimelineFrame& frame, bool hovered) {
  ShellState& state = c.state;
  state.pointed = {};
  if (!hovered) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const TimeAxis& axis = state.view.axis();
  if (mouse.y >= c.state.timeline.rows_top()) state.pointed.lane = state.timeline.lane_at(mouse.y);
  if (mouse.x < axis.left_px() || mouse.x > axis.right_px()) return;
  state.pointed.at = axis.to_ns(mouse.x);
  if (const auto edge = snap(state.model.trace(), state.timeline, axis, mouse.x, mouse.y)) {
    state.pointed.snapped = edge->at;
  }
  state.pointed.mark = hit_mark(state.mark_shapes, mouse.x, mouse.y);
  if (state.pointed.lane || mouse.y >= c.state.timeline.rows_top()) {
    state.pointed.hit = state.timeline.hit(frame, axis, mouse.x, mouse.y);
    if (!state.pointed.hit) state.pointed.not_recorded = state.timeline.not_recorded_at(frame, axis, mouse.x, mouse.y);
  }
}

// A thumb at the right edge of a pane whose lanes do not fit. Call before the timeline's own item, so that a press on
// the thumb does not reach the lanes.
void handle_scroll_thumb(const Canvas& c, const Rect& area, std::size_t number, const char* id) {
  ShellState& state = c.state;
  const float s = c.scale;
  const PanePlace& pane = state.timeline.pane(static_cast<Pane>(number));
  const float overflow = pane.overflow;
  if (overflow < 3 * s) return;  // not worth scrolling: only padding
  const float room = pane.bottom - pane.top - 4 * s;
  const float length = std::max(std::min(28 * s, room / 2), room * room / (room + overflow));
  if (room <= length) return;
  const ImVec2 before = ImGui::GetCursorScreenPos();
  const float x = area.x + area.width - 12 * s;
  float& scroll = state.scroll[number];
  const float y = pane.top + (room - length) * scroll / overflow;
  ImGui::SetCursorScreenPos({x, y});
  ImGui::InvisibleButton(id, {12 * s, length});
  note_place(c, id);
  const bool active = ImGui::IsItemActive();
  const bool lit = active || ImGui::IsItemHovered();
  if (active) {
    scroll = std::clamp(scroll + ImGui::GetIO().MouseDelta.y * overflow / (room - length), 0.0f, overflow);
  }
  const float width = (lit ? 7.0f : 5.0f) * s;
  const float centre = x + 6 * s;
  ImGui::GetWindowDrawList()->AddRectFilled({centre - width / 2, y}, {centre + width / 2, y + length},
                                            c.theme[lit ? Colour::Muted : Colour::Faint], width / 2);
  ImGui::SetCursorScreenPos(before);
}

// The line between the panes; a double click resets it.
void handle_pane_divider(const Canvas& c) {
  ShellState& state = c.state;
  if (!state.timeline.divided()) return;
  const float s = c.scale;
  const Rect r = state.timeline.divider();
  const ImVec2 before = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({r.x, r.y});
  ImGui::InvisibleButton("##panes", {r.width, r.height});
  note_place(c, "pane_divider");
  const bool active = ImGui::IsItemActive();
  const bool hovered = ImGui::IsItemHovered();
  const bool lit = active || hovered;
  if (lit) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  if (hovered && !active) ImGui::SetTooltip("%s", tr("drag: more room for the CPU or the GPU · double click: reset"));
  float& share = state.preferences.cpu_share;
  if (hovered && ImGui::IsMouseDoubleClicked(0)) {
    share = 0;
  } else if (active && ImGui::GetIO().MouseDelta.y != 0) {
    share = state.timeline.cpu_share_at(ImGui::GetIO().MousePos.y - r.height / 2);
  }
  const ImVec2 middle{r.x + r.width / 2, r.y + r.height / 2};
  ImGui::GetWindowDrawList()->AddRectFilled({middle.x - 22 * s, middle.y - 1.5f * s},
                                            {middle.x + 22 * s, middle.y + 1.5f * s},
                                            c.theme[lit ? Colour::Accent : Colour::Faint], 2 * s);
  ImGui::SetCursorScreenPos(before);
}

// The lanes that the experiment's view names.
void draw_outlines(const Canvas& c, ImDrawList& list, const Rect& rows) {
  ShellState& state = c.state;
  if (!state.experiment.active) return;
  const ActiveExperiment& active = *state.experiment.active;
  list.PushClipRect({rows.x, rows.y}, {rows.x + rows.width, rows.y + rows.height}, true);
  for (const std::string& name : active.experiment().side(active.side()).view.outlined) {
    const auto lane = state.places.find("lane." + name);
    if (lane == state.places.end()) continue;
    const Rect row = lane->second;
    const float s = c.scale;  // inside the panel's edges, and clear of the heading above
    frame_around(c, list, {row.x + 8 * s, row.y + 3 * s, row.width - 16 * s, row.height - 6 * s});
    state.places["outline." + name] = row;
  }
  list.PopClipRect();
}

/// The prepared rows, names and rulers, each where it may be seen.
void draw_rows(const Canvas& c, const Rect& area, float rows_top, bool hovered) {
  ShellState& state = c.state;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float lanes_left = area.x + Timeline::kLabelWidth * c.scale, lanes_right = state.view.axis().right_px();
  const float right = area.x + area.width, bottom = area.y + area.height;
  const auto draw = [&](const SpanBatch& batch, ImVec2 from, ImVec2 to) {
    list.PushClipRect(from, to, true);
    add_to_draw_list(list, c.spans, batch);
    draw_labels(list, c.fonts, batch.labels);
    list.PopClipRect();
  };
  // Scrolling lanes pass under the fixed ones.
  for (const ScrolledLanes& scrolled : state.timeline.scrolled()) {
    if (scrolled.rows.empty() && scrolled.names.empty()) continue;
    draw(scrolled.rows, {lanes_left, scrolled.top}, {lanes_right, scrolled.bottom});
    draw(scrolled.names, {area.x, scrolled.top}, {right, scrolled.bottom});
  }
  draw(state.timeline.rows(), {lanes_left, rows_top}, {lanes_right, bottom});
  // The plots below may share this axis: the instant under the mouse there is marked here, too.
  list.PushClipRect({lanes_left, rows_top}, {lanes_right, bottom}, true);
  if (hovered) {
    draw_cross_line(c, area, ImGui::GetIO().MousePos.x);
  } else if (state.plots.view.pointed_px) {
    draw_cross_line(c, area, *state.plots.view.pointed_px);
  }
  list.PopClipRect();
  state.plots.view.pointed_px.reset();  // set in every frame
  draw(state.timeline.top(), {area.x, area.y}, {right, rows_top});
  // Headings extend over the lanes; when scrolled, they pass under the ruler.
  draw(state.timeline.names(), {area.x, rows_top}, {right, bottom});
}

}  // namespace

void draw_timeline(const Canvas& c) {
  ShellState& state = c.state;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImVec2 size = ImGui::GetContentRegionAvail();
  const float below = ghost_height(c, size.y);
  if (below > 0) draw_ghost(c, {at.x, at.y + size.y - below, size.x, below});
  ImGui::SetCursorScreenPos(at);
  size.y -= below;
  const Rect area{at.x, at.y, size.x, size.y};
  state.places["timeline"] = area;
  state.lanes.leave_out({false, true});
  state.timeline.sync(state.model.trace(), &state.lanes);
  const TimelineFrame frame = timeline_frame(c);

  handle_pane_divider(c);
  handle_scroll_thumb(c, area, 0, state.timeline.divided() ? "lanes_scroll.cpu" : "lanes_scroll");
  handle_scroll_thumb(c, area, 1, "lanes_scroll.gpu");
  ImGui::InvisibleButton("##timeline", size, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  own_wheel();
  const bool hovered = ImGui::IsItemHovered();
  if (!handle_lane_gestures(c, area) && !handle_mark_gestures(c)) handle_gestures(c, frame, area);

  update_finding(state);

  const TimelineFrame shown = timeline_frame(c);
  state.timeline.prepare(shown, state.view.axis(), area);
  for (std::size_t i = 0; i < kPanes; ++i) state.scroll[i] = state.timeline.pane(static_cast<Pane>(i)).scroll;
  point(c, shown, hovered);
  update_causes(state);
  const MarkSurface surface{shown, state.timeline,        state.view.axis(),
                            area,  state.timeline.rows(), state.timeline.top()};
  add_found(surface, state.search);
  for (const auto& listed : {state.event_list.hovered, state.search.hovered}) {
    if (listed) add_pointed(surface, *listed);
  }
  add_code_marks(surface, state.code, state.model.analysis().links());
  add_causes(surface, state.cause);
  state.mark_shapes = mark_shapes(surface, state.marks);
  add_navigation(c, surface);
  add_marks(surface, state.marks, state.mark_shapes);
  for (std::size_t l = 0; l < state.model.trace().lane_count(); ++l) {
    const auto lane = static_cast<trace::LaneId>(l);
    if (const auto rect = state.timeline.lane_rect(lane)) {
      state.places["lane." + state.model.trace().lane(lane).info().name] = *rect;
    }
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rows_top = state.timeline.rows_top();
  draw_rows(c, area, rows_top, hovered);
  if (const std::string tag = shown_tag(state); !tag.empty() && shown.iteration) {
    draw_tag(c, area.x + 16 * c.scale, area.y + (Timeline::kRulerHeight + 3) * c.scale, tag);
  }

  draw_outlines(c, list, {area.x, rows_top, area.width, area.height - (rows_top - area.y)});

  state.in_motion = state.in_motion || state.timeline.moving() || state.navigation.moving() || finding_moves(state);

  handle_lane_names(c, area);
  const bool averaged = !state.pointed.hit || state.pointed.hit->averaged;
  if (averaged && !state.pointed.mark && !ImGui::IsMouseDown(0)) draw_average_tooltip(c);
  if (!averaged && !state.pointed.mark && !ImGui::IsMouseDown(0)) draw_event_tooltip(c, *state.pointed.hit);
  if (state.pointed.not_recorded && !state.pointed.mark && !ImGui::IsMouseDown(0)) {
    ImGui::SetTooltip("%s", not_recorded_text(state.pointed.not_recorded->bursts).c_str());
  }
  draw_pinned_tooltips(c);
  draw_note_editor(c);
}

}  // namespace lanescope::ui
