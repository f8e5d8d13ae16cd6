#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "ui/panels/panels.h"

namespace lanescope::ui {
namespace {

constexpr float kClickSlop = 4;

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

}  // namespace

void handle_gestures(const Canvas& c, const TimelineFrame& frame, const Rect& area, float overflow) {
  ShellState& state = c.state;
  const bool hovered = ImGui::IsItemHovered();
  state.view.hold(ImGui::IsItemActive());
  const float lanes_left = area.x + Timeline::kLabelWidth * c.scale;
  if (hovered) handle_wheel(c, ImGui::GetIO().MousePos.x >= lanes_left, overflow);
  handle_drag(c, frame, area, overflow);
  if (hovered && ImGui::IsMouseDoubleClicked(0) && state.selection.event) {
    const trace::Event& e = state.selection.event->event;
    state.view.show(e.start_ns, std::max(e.end_ns, e.start_ns + 1));
  }
}

}  // namespace lanescope::ui
