#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/time.h"
#include "shell/comparison.h"
#include "shell/presenting.h"
#include "shell/selecting.h"
#include "timeline/timeline_drag.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

constexpr float kTimelineClickSlop = 4;
constexpr float kTimelineEdgeReach = 5;  // mouse distance to the edge of a selected range
constexpr float kLeastZoomBand = 6;      // anything narrower is accidental
constexpr float kLaneHeight = 32;        // lanes are stretched to the room there is: by so much, a wait is off any
constexpr float kWheelPan = 60, kWheelScroll = 60;
constexpr double kSpeedSeconds = 0.05;  // time over which the speed of a flick is measured
constexpr float kLeastFlick = 300;      // pixels per second

void handle_timeline_wheel(const Canvas& c, bool over_lanes) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0 && io.MouseWheelH == 0) return;
  NavigationState& navigation = c.state.navigation;
  const auto kind = navigation.wheel.feel(io.MouseWheelH, io.MouseWheel, over_lanes, io.KeyCtrl, base::now());
  if (kind == WheelGesture::Kind::Zoom && io.MouseWheel != 0) {
    const double step = io.KeyCtrl ? 1.05 : io.KeyShift ? 1.5 : 1.25;
    c.state.view.zoom(std::pow(step, static_cast<double>(io.MouseWheel)), io.MousePos.x);
  }
  if (kind == WheelGesture::Kind::Pan && io.MouseWheelH != 0) c.state.view.glide(io.MouseWheelH * kWheelPan * c.scale);
  if (kind == WheelGesture::Kind::Pan || kind == WheelGesture::Kind::ScrollLanes) {
    const auto pane = static_cast<std::size_t>(c.state.timeline.pane_at(io.MousePos.y));
    if (io.MouseWheel != 0) {
      navigation.scroll[pane].by(c.state.scroll[pane], -io.MouseWheel * kWheelScroll * c.scale);
    }
  }
}

/// If an edge of the selected range is under the mouse: the time of the other edge.
std::optional<Nanoseconds> edge_under(const Canvas& c, float x) {
  const auto& range = c.state.selection.range;
  if (!range) return std::nullopt;
  const TimeAxis& axis = c.state.view.axis();
  const float first = std::abs(axis.to_px(range->first) - x);
  const float second = std::abs(axis.to_px(range->second) - x);
  if (std::min(first, second) > kTimelineEdgeReach * c.scale) return std::nullopt;
  return first < second ? range->second : range->first;
}

// The time at the mouse: an event's edge if one is near, unless Alt is held.
Nanoseconds time_at(const Canvas& c, float x, float y, bool& snapped) {
  const ShellState& state = c.state;
  const TimeAxis& axis = state.view.axis();
  snapped = false;
  if (ImGui::GetIO().KeyAlt) return axis.to_ns(x);
  const auto found = snap(state.model.trace(), state.timeline, axis, x, y, kSnapPx * c.scale);
  snapped = found.has_value();
  return found ? found->at : axis.to_ns(x);
}

DragKind kind_of(const Canvas& c, const TimelineDrag& drag, const Rect& area) {
  const ImGuiIO& io = ImGui::GetIO();
  if (drag.x0 < area.x + Timeline::kLabelWidth * c.scale) return DragKind::None;  // the names handle their own drags
  if (drag.button == 2) return io.KeyCtrl ? DragKind::ZoomOut : DragKind::ZoomIn;
  if (io.KeyCtrl) return DragKind::ZoomIn;
  if (io.KeyAlt) return DragKind::ZoomOut;
  if (io.KeyShift || drag.all_lanes) return DragKind::Range;  // on the ruler, always a new range
  if (edge_under(c, drag.x0)) return DragKind::RangeEdge;
  return DragKind::Pan;
}

// The press is on the waiting part of a call: a drag up or down takes that off its lane.
void grip_wait(const Canvas& c, const TimelineFrame& frame, TimelineDrag& drag) {
  const ShellState& state = c.state;
  const TimeAxis& axis = state.view.axis();
  if (drag.kind != DragKind::Pan || drag.second || other_side_tells(state)) return;
  const auto hit = state.timeline.hit(frame, axis, drag.x0, drag.y0);
  if (!hit || !hit->event || hit->averaged) return;
  const trace::Event& call = hit->event->event;
  if (!trace::is_blocking(call) && !trace::is_sync(call)) return;
  const Nanoseconds from = call.start_ns + (trace::is_blocking(call) ? trace::parts_of(call).own : 0);
  const auto rect = state.timeline.event_rect(*hit->event, axis);
  if (!rect || drag.x0 < axis.to_px(from)) return;
  drag.wait = hit->event;
  drag.block = {axis.to_px(from), rect->y, axis.length_px(call.end_ns - from), rect->height};
  drag.lane_height = std::min(rect->height, kLaneHeight * c.scale);
}

void begin_drag(const Canvas& c, const TimelineFrame& frame, const Rect& area) {
  ShellState& state = c.state;
  const ImGuiIO& io = ImGui::GetIO();
  TimelineDrag& drag = state.navigation.drag;
  drag = {};
  drag.button = io.MouseClicked[2] ? 2 : 0;
  drag.x0 = drag.x1 = io.MousePos.x;
  drag.y0 = drag.y1 = io.MousePos.y;
  drag.all_lanes = drag.y0 < c.state.timeline.rows_top();
  drag.pane = state.timeline.pane_at(drag.y0);
  drag.second = ImGui::IsMouseDoubleClicked(0);
  drag.before = state.selection;
  drag.kind = kind_of(c, drag, area);
  grip_wait(c, frame, drag);
  if (drag.kind == DragKind::Range) drag.anchor = time_at(c, drag.x0, drag.y0, drag.snapped);
  if (drag.kind == DragKind::RangeEdge) drag.anchor = *edge_under(c, drag.x0);
  if (state.view.frozen_by_hand()) state.view.stop();  // a press stops a gliding view
}

void pan(const Canvas& c, TimelineDrag& drag) {
  ShellState& state = c.state;
  const ImGuiIO& io = ImGui::GetIO();
  const auto seconds = static_cast<double>(std::max(io.DeltaTime, 1e-4f));
  const auto share = static_cast<float>(1 - std::exp(-seconds / kSpeedSeconds));
  drag.speed += (io.MouseDelta.x / static_cast<float>(seconds) - drag.speed) * share;
  if (io.MouseDelta.x != 0) state.view.pan(io.MouseDelta.x);
  if (io.MouseDelta.y != 0) state.scroll[static_cast<std::size_t>(drag.pane)] -= io.MouseDelta.y;
}

void select_dragged(const Canvas& c, TimelineDrag& drag) {
  ShellState& state = c.state;
  const Nanoseconds here = time_at(c, drag.x1, drag.y1, drag.snapped);
  const std::pair range{std::min(drag.anchor, here), std::max(drag.anchor, here)};
  std::vector<trace::LaneId> lanes;
  if (drag.kind == DragKind::RangeEdge) {
    lanes = drag.before.lanes;
  } else if (!drag.all_lanes) {
    lanes = state.timeline.lanes_between(std::min(drag.y0, drag.y1), std::max(drag.y0, drag.y1));
  }
  if (state.selection.range == range && state.selection.lanes == lanes) return;
  select_range(state, range.first, range.second);
  state.selection.lanes = std::move(lanes);
}

void click_timeline(const Canvas& c, const TimelineFrame& frame, float x, float y) {
  ShellState& state = c.state;
  const auto hit = state.timeline.hit(frame, state.view.axis(), x, y);
  const Selection before = std::exchange(state.selection, {});
  if (!hit || hit->open) return;
  // A click on what is selected ends the selection.
  if (hit->event) {
    if (before.event != hit->event) select_event(state, *hit->event);
  } else if (hit->bubble) {
    if (before.bubble && before.bubble->start_ns == hit->bubble->start_ns && before.bubble->gpu == hit->bubble->gpu) {
      return;
    }
    state.selection.bubble = hit->bubble;
    state.view.pan(0);
  } else {
    select_range(state, hit->folded_from, hit->folded_to);
  }
}

void end_drag(const Canvas& c, const TimelineFrame& frame, TimelineDrag drag) {
  ShellState& state = c.state;
  const TimeAxis& axis = state.view.axis();
  const float x0 = std::clamp(std::min(drag.x0, drag.x1), axis.left_px(), axis.right_px());
  const float x1 = std::clamp(std::max(drag.x0, drag.x1), axis.left_px(), axis.right_px());
  if (drag.cancelled) return;
  if (!drag.moved) {
    const bool clicks = drag.kind == DragKind::Pan || drag.kind == DragKind::Range || drag.kind == DragKind::RangeEdge;
    if (clicks && !drag.second) click_timeline(c, frame, drag.x1, drag.y1);
    return;
  }
  if (drag.kind == DragKind::ZoomIn && x1 - x0 >= kLeastZoomBand) {
    state.view.show_exactly(axis.to_ns(x0), axis.to_ns(x1));
  } else if (drag.kind == DragKind::ZoomOut && x1 - x0 >= kLeastZoomBand) {
    state.view.shrink_into(x0, x1);
  } else if (drag.kind == DragKind::Pan && state.preferences.animation && std::abs(drag.speed) > kLeastFlick) {
    state.view.flick(static_cast<double>(drag.speed));
  } else if (drag.off_lane()) {
    drag_off(state, *drag.wait);
  }
}

// A press that moves is a drag; otherwise it is a click.
void handle_timeline_drag(const Canvas& c, const TimelineFrame& frame, const Rect& area) {
  TimelineDrag& drag = c.state.navigation.drag;
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemActivated()) begin_drag(c, frame, area);
  if (drag.kind == DragKind::None) return;
  drag.x1 = io.MousePos.x;
  drag.y1 = io.MousePos.y;
  const float right = std::abs(drag.x1 - drag.x0), down = std::abs(drag.y1 - drag.y0);
  if (!drag.moved && std::hypot(right, down) > kTimelineClickSlop) {
    drag.moved = true;
    if (drag.wait && down > right) drag.kind = DragKind::Wait;
  }
  // With Ctrl or Shift still held, Escape is not an action's key. Check it before the release, because a slow frame may
  // see both together.
  if (drag.moved && key_pressed(ImGuiKey_Escape)) drag.cancel();
  if (ImGui::IsItemDeactivated() || !ImGui::IsItemActive()) return end_drag(c, frame, std::exchange(drag, {}));
  if (!drag.moved) return;
  if (drag.cancelled) {
    const bool selects = drag.kind == DragKind::Range || drag.kind == DragKind::RangeEdge;
    if (selects) c.state.selection = drag.before;
    return;
  }
  if (drag.kind == DragKind::Pan) pan(c, drag);
  if (drag.kind == DragKind::Range || drag.kind == DragKind::RangeEdge) select_dragged(c, drag);
}

void zoom_to_what_is_there(const Canvas& c, const TimelineFrame& frame) {
  ShellState& state = c.state;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto hit = state.timeline.hit(frame, state.view.axis(), mouse.x, mouse.y);
  if (!hit || hit->open) return;
  if (hit->event) {
    select_event(state, *hit->event);  // its first click may have ended the selection
    const trace::Event& e = hit->event->event;
    state.view.show(e.start_ns, std::max(e.end_ns, e.start_ns + 1));
  } else if (hit->bubble) {
    state.view.show(hit->bubble->start_ns, hit->bubble->end_ns);
  } else {
    state.view.show(hit->folded_from, std::max(hit->folded_to, hit->folded_from + 1));
  }
}

}  // namespace

void handle_gestures(const Canvas& c, const TimelineFrame& frame, const Rect& area) {
  ShellState& state = c.state;
  NavigationState& navigation = state.navigation;
  const ImGuiIO& io = ImGui::GetIO();
  const bool hovered = ImGui::IsItemHovered();
  const bool over_lanes = io.MousePos.x >= area.x + Timeline::kLabelWidth * c.scale;
  state.view.hold(ImGui::IsItemActive());
  if (hovered) handle_timeline_wheel(c, over_lanes);
  handle_timeline_drag(c, frame, area);
  for (std::size_t i = 0; i < kPanes; ++i) {
    const float overflow = state.timeline.pane(static_cast<Pane>(i)).overflow;
    state.scroll[i] = navigation.scroll[i].step(state.scroll[i], overflow, static_cast<double>(io.DeltaTime),
                                                state.preferences.animation);
  }
  if (!hovered) return;
  const bool below_ruler = io.MousePos.y >= c.state.timeline.rows_top();
  const bool on_edge = over_lanes && below_ruler && navigation.drag.kind == DragKind::None && !io.KeyShift &&
                       !io.KeyCtrl && !io.KeyAlt && edge_under(c, io.MousePos.x);
  if (on_edge || navigation.drag.kind == DragKind::RangeEdge) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (navigation.drag.kind == DragKind::Wait) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  if (over_lanes && ImGui::IsMouseDoubleClicked(0)) zoom_to_what_is_there(c, frame);
}

}  // namespace lanescope::ui
