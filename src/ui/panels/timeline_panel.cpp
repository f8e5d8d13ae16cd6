#include <fmt/format.h>
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
constexpr float kClickSlop = 4;

void tooltip_line(const Canvas& c, const std::string& name, const std::string& value) {
  text(c, FontRole::Small, Colour::Muted, name);
  ImGui::SameLine(110 * c.scale);
  text(c, FontRole::MonoSmall, Colour::Text, value);
}

void draw_tooltip(const Canvas& c, const TimelineHit& hit, Nanoseconds origin) {
  const trace::Trace& trace = c.state.model.trace();
  ImGui::BeginTooltip();
  if (hit.open) {
    text(c, FontRole::BodyBold, Colour::Wait, std::string(trace.names().text(hit.open->name)));
    tooltip_line(c, tr("so far"), base::format_duration(c.state.model.now() - hit.open->start_ns));
    tooltip_line(c, tr("start"), base::format_duration(hit.open->start_ns - origin));
    text(c, FontRole::Small, Colour::Muted, tr("the call is not back yet"));
  } else if (hit.event) {
    const trace::Event& e = hit.event->event;
    const trace::LaneInfo& lane = trace.lane(hit.lane).info();
    std::string name = lane.kind == trace::LaneKind::Iterations ? event_label(trace, lane.kind, e)
                                                                : std::string(trace.names().text(e.name));
    if (name.size() > 90) name = name.substr(0, 88) + "…";
    text(c, FontRole::BodyBold, Colour::Text, name);
    tooltip_line(c, tr("duration"), base::format_duration(e.duration()));
    tooltip_line(c, tr("start"), base::format_duration(e.start_ns - origin));
    if (trace::is_blocking(e)) {
      const trace::CallParts parts = trace::parts_of(e);
      tooltip_line(c, tr("own cost"), base::format_duration(parts.own));
      tooltip_line(c, tr("waiting"), base::format_duration(parts.waiting));
      if (parts.copying) tooltip_line(c, tr("copying"), base::format_duration(parts.copying));
      tooltip_line(c, tr("return"), base::format_duration(parts.returning));
    }
    if (e.kind == trace::EventKind::Copy) {
      const auto bytes = static_cast<double>(trace::bytes_of(e));
      tooltip_line(c, tr("bytes"), base::format_bytes(static_cast<std::int64_t>(bytes)));
      if (e.duration() > 0)
        tooltip_line(c, tr("rate"), fmt::format("{:.2f} GB/s", bytes / static_cast<double>(e.duration())));
    }
  } else if (hit.bubble) {
    text(c, FontRole::BodyBold, Colour::Bubble,
         std::string(tr("GPU idle")) + " " + base::format_duration(hit.bubble->duration()));
    tooltip_line(c, tr("cause"), std::string(analysis::cause_name(hit.bubble->cause)));
  } else {
    text(c, FontRole::BodyBold, Colour::Text, fmt::format("{} {}", base::format_count(hit.folded_count), tr("events")));
    tooltip_line(c, tr("together"), base::format_duration(hit.folded_to - hit.folded_from));
    tooltip_line(c, tr("busy"), fmt::format("{:.0f} %", hit.folded_busy * 100));
    text(c, FontRole::Small, Colour::Muted, tr("too narrow to be seen alone: zoom in"));
  }
  ImGui::EndTooltip();
}

void handle_wheel(const Canvas& c, bool over_lanes, float overflow) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0 && io.MouseWheelH == 0) return;
  if (io.MouseWheelH != 0) c.state.view.glide(io.MouseWheelH * 60 * c.scale);
  if (io.MouseWheel == 0) return;
  if (!over_lanes) {
    c.state.scroll = std::clamp(c.state.scroll - io.MouseWheel * 40 * c.scale, 0.0f, overflow);
    return;
  }
  const double step = io.KeyCtrl ? 1.05 : io.KeyShift ? 1.5 : 1.25;
  c.state.view.zoom(std::pow(step, static_cast<double>(io.MouseWheel)), io.MousePos.x);
}

// A press that moves is a drag (pan, or a range where it began on the ruler or with Shift); one that does not is a
// click.
void handle_drag(const Canvas& c, const TimelineFrame& frame, const Rect& area, float overflow) {
  static bool selecting = false;
  static bool again = false;  // the second press of a double click: it zooms, its release selects nothing anew
  static Nanoseconds anchor = 0;
  ShellState& state = c.state;
  const ImGuiIO& io = ImGui::GetIO();
  const TimeAxis& axis = state.view.axis();
  if (ImGui::IsItemActivated()) {
    selecting = io.KeyShift || io.MousePos.y < area.y + Timeline::kRulerHeight * c.scale;
    anchor = axis.to_ns(io.MousePos.x);
    again = ImGui::IsMouseDoubleClicked(0);
  }
  const ImVec2 moved = ImGui::GetMouseDragDelta(0, 0);
  const bool dragged = std::hypot(moved.x, moved.y) > kClickSlop;
  if (ImGui::IsItemActive() && dragged) {
    if (selecting) {
      const Nanoseconds here = axis.to_ns(io.MousePos.x);
      select_range(state, std::min(anchor, here), std::max(anchor, here));
    } else if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0) {
      if (io.MouseDelta.x != 0) state.view.pan(io.MouseDelta.x);
      state.scroll = std::clamp(state.scroll - io.MouseDelta.y, 0.0f, overflow);
    }
    return;
  }
  if (!ImGui::IsItemDeactivated() || dragged || again) return;
  const auto hit = state.timeline.hit(frame, axis, io.MousePos.x, io.MousePos.y);
  state.selection.clear();
  if (!hit || hit->open) return;
  if (hit->event) {
    select_event(state, *hit->event);
  } else if (hit->bubble) {
    state.selection.bubble = hit->bubble;
    state.view.pan(0);
  } else {
    select_range(state, hit->folded_from, hit->folded_to);
  }
}

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
  return {state.model.trace(), &state.model.analysis(),   c.theme,          state.model.live_edge(),
          state.model.live(),  state.view.label_origin(), &state.selection, c.scale,
          state.scroll,        state.model.open_calls(),  state.model.now()};
}

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
  state.view.hold(ImGui::IsItemActive());
  const float lanes_left = area.x + Timeline::kLabelWidth * c.scale;
  if (hovered) handle_wheel(c, ImGui::GetIO().MousePos.x >= lanes_left, overflow);
  handle_drag(c, frame, area, overflow);
  if (hovered && ImGui::IsMouseDoubleClicked(0) && state.selection.event) {
    const trace::Event& e = state.selection.event->event;
    state.view.show(e.start_ns, std::max(e.end_ns, e.start_ns + 1));
  }

  state.timeline.prepare(timeline_frame(c), state.view.axis(), area);
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

  if (hovered && !ImGui::IsMouseDown(0) && ImGui::GetIO().MousePos.x >= lanes_left) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (const auto hit = state.timeline.hit(frame, state.view.axis(), mouse.x, mouse.y)) {
      draw_tooltip(c, *hit, state.view.label_origin());
    }
  }

  // The figures of a selected stretch, worked out again when it changes.
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

}  // namespace lanescope::ui
