// The laser pointer, and the pen's strokes.
#include <imgui.h>

#include "base/clock.h"
#include "window/panels/lesson/lesson_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

constexpr std::uint32_t kLaser = 0xff2a2aff;  // red in every theme: what a person expects of it, and of the pen
constexpr std::uint32_t kHalo = 0xffffffff;

void draw_laser(const Canvas& c, ImDrawList& list, PointerState::Clock::time_point now) {
  PointerState& pointer = c.state.pointer;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (mouse.x < 0 || mouse.y < 0) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_None);
  pointer.move({mouse.x, mouse.y}, now);
  const float s = c.scale;
  for (std::size_t i = 1; i < pointer.trail.size(); ++i) {
    const auto& [from, begun] = pointer.trail[i - 1];
    const auto& [to, when] = pointer.trail[i];
    const float age = std::chrono::duration<float>(now - when) / std::chrono::duration<float>(PointerState::kTrail);
    const float left = std::clamp(1 - age, 0.0f, 1.0f);
    list.AddLine({from.x, from.y}, {to.x, to.y}, with_alpha(kLaser, 0.7f * left), (2 + 5 * left) * s);
  }
  list.AddCircleFilled(mouse, 15 * s, with_alpha(kLaser, 0.25f), 32);
  list.AddCircleFilled(mouse, 8 * s, with_alpha(kHalo, 0.9f), 32);
  list.AddCircleFilled(mouse, 6.5f * s, kLaser, 32);
  c.state.places["laser"] = {mouse.x - 8 * s, mouse.y - 8 * s, 16 * s, 16 * s};
}

// While the pen is on, the mouse belongs to it.
void follow_pen(const Canvas& c, PointerState::Clock::time_point now) {
  PointerState& pointer = c.state.pointer;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::SetNextWindowFocus();
  ImGui::Begin("##pen", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground);
  ImGui::SetCursorPos({0, 0});
  ImGui::InvisibleButton("##paper", ImGui::GetIO().DisplaySize);
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  pointer.draw({mouse.x, mouse.y}, ImGui::IsItemActive(), now);
  ImGui::End();
}

void draw_strokes(const Canvas& c, ImDrawList& list, PointerState::Clock::time_point now) {
  static std::vector<ImVec2> line;
  for (const PointerState::Stroke& stroke : c.state.pointer.strokes) {
    line.clear();
    for (const PointerState::Point& p : stroke.points) line.push_back({p.x, p.y});
    const float strength = PointerState::strength(stroke, now);
    const auto points = static_cast<int>(line.size());
    list.AddPolyline(line.data(), points, with_alpha(kHalo, 0.85f * strength), 0, 7 * c.scale);
    list.AddPolyline(line.data(), points, with_alpha(kLaser, strength), 0, 4 * c.scale);
  }
}

}  // namespace

void draw_pointer(const Canvas& c) {
  PointerState& pointer = c.state.pointer;
  const auto now = base::now();
  if (pointer.pen) follow_pen(c, now);
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  draw_strokes(c, list, now);
  if (pointer.laser && !pointer.pen) draw_laser(c, list, now);
  if (pointer.settle(now)) c.state.in_motion = true;
}

}  // namespace lanescope::ui
