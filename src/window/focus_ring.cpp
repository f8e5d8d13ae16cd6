#include "window/focus_ring.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

namespace lanescope::ui {
namespace {

constexpr float kLine = 2, kGap = 2;

Rect common(const Rect& a, const Rect& b) {
  const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::min(a.x + a.width, b.x + b.width) - x, std::min(a.y + a.height, b.y + b.height) - y};
}

bool is_empty(const Rect& r) { return r.width <= 0 || r.height <= 0; }

const ImGuiWindow* topmost_at(float x, float y) {
  const ImGuiContext& g = *GImGui;
  for (int i = g.Windows.Size - 1; i >= 0; --i) {
    const ImGuiWindow* window = g.Windows[i];
    if (!window->Active || window->Hidden || (window->Flags & ImGuiWindowFlags_NoMouseInputs)) continue;
    if (window->IsFallbackWindow) continue;  // ImGui's own, which is there but never drawn
    if (window->OuterRectClipped.Contains(ImVec2(x, y))) return window;
  }
  return nullptr;
}

// Not covered by another window. What has to be scrolled into view counts as where its panel's contents are.
bool is_reachable(const Control& control) {
  const ImGuiContext& g = *GImGui;
  if (is_empty(control.room)) return false;
  const ImGuiWindow* popup = g.OpenPopupStack.Size > 0 ? g.OpenPopupStack.back().Window : nullptr;
  if (popup && popup->Active && control.panel != popup->ID) return false;
  Rect seen = common(control.box, control.room);
  if (is_empty(seen)) seen = control.room;
  const ImGuiWindow* top = topmost_at(seen.x + seen.width / 2, seen.y + seen.height / 2);
  if (top && top->RootWindow->ID == control.panel) return true;
  // Its middle may be covered by something small.
  top = topmost_at(seen.x + 3, seen.y + 3);
  return top && top->RootWindow->ID == control.panel && !popup;
}

// Scrolls the windows around a control so that it is in view.
void bring_into_view(const Control& control, float margin) {
  Rect box = control.box;
  for (ImGuiWindow* window = ImGui::FindWindowByID(control.window); window; window = window->ParentWindow) {
    const ImRect& inner = window->InnerRect;
    if (window->ScrollMax.y > 0) {
      float by = 0;
      if (box.y + box.height > inner.Max.y - margin) by = box.y + box.height + margin - inner.Max.y;
      if (box.y - by < inner.Min.y + margin) by = box.y - margin - inner.Min.y;
      const float to = std::clamp(window->Scroll.y + by, 0.0f, window->ScrollMax.y);
      box.y -= to - window->Scroll.y;
      if (to != window->Scroll.y) ImGui::SetScrollY(window, to);
    }
    if (window->RootWindow == window) break;
  }
}

void draw_ring(const Canvas& c, const Control& control) {
  const float s = c.scale;
  const Rect seen = common(control.box, control.room);
  if (is_empty(seen)) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float out = (kGap + kLine / 2) * s;
  const float edge = kLine * s / 2;
  const ImVec2 low{std::max(edge, seen.x - out), std::max(edge, seen.y - out)};
  const ImVec2 high{std::min(display.x - edge, seen.x + seen.width + out),
                    std::min(display.y - edge, seen.y + seen.height + out)};
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  // A dark or light line beneath, so that the ring stands out from a ground in the same colour.
  list.AddRect(low, high, c.theme[Colour::Ground], 6 * s, 0, (kLine + 2) * s);
  list.AddRect(low, high, c.theme[Colour::Accent], 6 * s, 0, kLine * s);
  c.state.places["focus"] = {low.x - edge, low.y - edge, high.x - low.x + 2 * edge, high.y - low.y + 2 * edge};
}

}  // namespace

void draw_focus(const Canvas& c) {
  FocusWalk& walk = c.state.focus;
  std::vector<Control> reachable;
  reachable.reserve(walk.drawn().size());
  for (Control& control : walk.drawn()) {
    if (is_reachable(control)) reachable.push_back(std::move(control));
  }
  walk.begin(std::move(reachable));
  const bool mouse = !walk.pressing && (ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1));
  if (mouse) walk.leave();
  const Control* control = walk.focused();
  if (!control) return;
  if (walk.moved) {
    walk.moved = false;
    if (ImGui::GetIO().WantTextInput && !ImGui::IsMouseDown(0)) ImGui::ClearActiveID();  // a field that was left
    bring_into_view(*control, 24 * c.scale);
    c.state.in_motion = true;  // it is drawn at its new place in the next frame
  }
  draw_ring(c, *control);
}

bool click_focused(FocusWalk& walk, float x, float y) {
  if (!walk.pressing) return false;
  FocusWalk::Press& press = *walk.pressing;
  const int frame = press.frame++;
  const bool over = frame >= 4;
  const bool down = frame == 1 || frame == 2;
  if (!over) {
    x = press.x;
    y = press.y;
  }
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
  io.AddMousePosEvent(x, y);
  if (frame == 1 || frame == 3) io.AddMouseButtonEvent(0, down);
#else
  io.MousePos = {x, y};
  io.MouseDown[0] = down;
#endif
  if (over) walk.pressing.reset();
  return true;
}

}  // namespace lanescope::ui
