// The draggable line between the timeline and the area below it.
#include <imgui.h>

#include <algorithm>

#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {

void draw_divider(const Canvas& c, const Rect& area, float top, float room) {
  const float s = c.scale;
  const float grip = 10 * s;
  ImGui::SetNextWindowPos({area.x, area.y - grip / 2});
  ImGui::SetNextWindowSize({area.width, grip});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("##divider", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoFocusOnAppearing);  // drawn over the panels
  ImGui::PopStyleVar(3);
  ImGui::InvisibleButton("##grip", {area.width, grip});
  note_place(c, "divider");
  const bool active = ImGui::IsItemActive();
  if (ImGui::IsItemHovered() || active) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled({area.x, area.y - s}, {area.x + area.width, area.y + s},
                                              c.theme[Colour::Accent]);
  }
  float& share = c.state.preferences.timeline_share;
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) {
    share = 0;
  } else if (active && ImGui::GetIO().MouseDelta.y != 0 && room > 0) {
    share = std::clamp((ImGui::GetIO().MousePos.y - top) / room, 0.1f, 0.95f);
  }
  ImGui::End();
}

}  // namespace lanescope::ui
