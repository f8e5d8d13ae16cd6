#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "ui/gl/span_renderer.h"
#include "ui/labels.h"
#include "ui/panels/panels.h"
#include "ui/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

// Up to this many events a range is worked out at once; beyond, beside the drawing.
constexpr std::int64_t kAtOnce = 20'000;

void draw_cross_line(const Canvas& c, const Rect& area) {
  const ImGuiIO& io = ImGui::GetIO();
  const TimeAxis& axis = c.state.view.axis();
  if (io.MousePos.x < axis.left_px() || io.MousePos.x > axis.right_px()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({io.MousePos.x, area.y + Timeline::kRulerHeight * c.scale}, {io.MousePos.x, area.y + area.height},
               with_alpha(c.theme[Colour::Muted], 0.45f));
}

}  // namespace

TimelineFrame timeline_frame(const Canvas& c) {
  ShellState& state = c.state;
  TimelineFrame frame{state.model.trace(), &state.model.analysis(),   c.theme,          state.model.live_edge(),
                      state.model.live(),  state.view.label_origin(), &state.selection, c.scale,
                      state.scroll,        state.model.open_calls(),  state.model.now()};
  frame.layout = &state.lanes;
  if (state.scope.average.on && state.scope.picture.count() > 0) {
    frame.average = &state.scope.picture;
    frame.average_at = state.view.label_origin();
  }
  if (state.preferences.animation) frame.seconds = static_cast<double>(ImGui::GetIO().DeltaTime);
  return frame;
}

namespace {

// What the mouse points at, for tooltips, for lighting what belongs together and for the actions that mean "here".
void point(const Canvas& c, const TimelineFrame& frame, const Rect& area, bool hovered) {
  ShellState& state = c.state;
  state.pointed = {};
  if (!hovered) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const TimeAxis& axis = state.view.axis();
  if (mouse.y >= area.y + Timeline::kRulerHeight * c.scale) state.pointed.lane = state.timeline.lane_at(mouse.y);
  if (mouse.x < axis.left_px() || mouse.x > axis.right_px()) return;
  state.pointed.at = axis.to_ns(mouse.x);
  if (state.pointed.lane || mouse.y >= area.y + Timeline::kRulerHeight * c.scale) {
    state.pointed.hit = state.timeline.hit(frame, axis, mouse.x, mouse.y);
  }
}

// The figures of a selected stretch, worked out again when it changes.
void work_out_range(ShellState& state) {
  RangeFigures& figures = state.range_figures;
  if (state.selection.range && figures.range != *state.selection.range && !figures.pending.valid()) {
    figures.range = *state.selection.range;
    const trace::Trace& trace = state.model.trace();
    const auto [from, to] = figures.range;
    const auto events = static_cast<std::int64_t>(trace.counts().recorded - trace.counts().evicted);
    const auto [begin, end] = state.model.extent();
    const double share = static_cast<double>(to - from) / static_cast<double>(std::max<Nanoseconds>(1, end - begin));
    if (static_cast<double>(events) * share <= kAtOnce) {
      figures.summary = analysis::analyse(trace, from, to);
    } else {
      figures.summary.reset();
      figures.pending =
          std::async(std::launch::async, [&trace, from = from, to = to] { return analysis::analyse(trace, from, to); });
    }
  }
  if (figures.pending.valid() && figures.pending.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    figures.summary = figures.pending.get();
  }
}

}  // namespace

void select_event(ShellState& state, const EventRef& event) {
  state.selection.clear();
  state.selection.event = event;
  const trace::Trace& trace = state.model.trace();
  if (trace::is_gpu_work(event.event.kind)) {
    state.selection.linked = call_of(trace, event.event);
  } else if (trace::is_sync(event.event)) {
    state.selection.linked = waited_for(trace, event.event);
  } else if (event.event.kind == trace::EventKind::Call) {
    state.selection.linked = gpu_operation_of(trace, event.event);
  }
  state.view.pan(0);  // what is read must stand still
}

void select_range(ShellState& state, Nanoseconds from, Nanoseconds to) {
  state.selection.clear();
  if (to <= from) return;
  state.selection.range = {from, to};
  state.view.pan(0);
}

void draw_timeline(const Canvas& c) {
  ShellState& state = c.state;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  const Rect area{at.x, at.y, size.x, size.y};
  state.places["timeline"] = area;
  state.timeline.sync(state.model.trace());
  const TimelineFrame frame = timeline_frame(c);
  const float overflow = std::max(0.0f, state.timeline.content_height(frame, state.view.axis()) - area.height);
  state.scroll = std::clamp(state.scroll, 0.0f, overflow);

  ImGui::InvisibleButton("##timeline", size);
#if IMGUI_VERSION_NUM >= 18900
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
#endif
  const bool hovered = ImGui::IsItemHovered();
  const float lanes_left = area.x + Timeline::kLabelWidth * c.scale;
  handle_gestures(c, frame, area, overflow);

  const TimelineFrame shown = timeline_frame(c);
  state.timeline.prepare(shown, state.view.axis(), area);
  point(c, shown, area, hovered);
  update_causes(state);
  const MarkSurface surface{shown, state.timeline,        state.view.axis(),
                            area,  state.timeline.rows(), state.timeline.top()};
  add_found(surface, state.search);
  add_causes(surface, state.cause);
  add_marks(surface, state.marks);
  for (std::size_t l = 0; l < state.model.trace().lane_count(); ++l) {
    const auto lane = static_cast<trace::LaneId>(l);
    if (const auto rect = state.timeline.lane_rect(lane)) {
      state.places["lane." + state.model.trace().lane(lane).info().name] = *rect;
    }
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rows_top = area.y + Timeline::kRulerHeight * c.scale;
  list.PushClipRect({lanes_left, rows_top}, {state.view.axis().right_px(), area.y + area.height}, true);
  add_to_draw_list(list, c.spans, state.timeline.rows());
  draw_labels(list, c.fonts, state.timeline.rows().labels);
  if (hovered) draw_cross_line(c, area);
  list.PopClipRect();
  list.PushClipRect({area.x, area.y}, {area.x + area.width, rows_top}, true);
  add_to_draw_list(list, c.spans, state.timeline.top());
  draw_labels(list, c.fonts, state.timeline.top().labels);
  list.PopClipRect();
  // Headings reach over the lanes; scrolled, they pass below the ruler.
  list.PushClipRect({area.x, rows_top}, {area.x + area.width, area.y + area.height}, true);
  draw_labels(list, c.fonts, state.timeline.names().labels);
  list.PopClipRect();

  handle_lane_names(c, area);
  if (state.pointed.hit && !ImGui::IsMouseDown(0)) draw_event_tooltip(c, *state.pointed.hit);
  draw_pinned_tooltips(c);
  work_out_range(state);
}

}  // namespace lanescope::ui
