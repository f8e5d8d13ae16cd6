#include "window/panels/lists/column_title.h"

#include <imgui.h>

#include "window/widgets.h"

namespace lanescope::ui {

bool draw_column_title(const Canvas& c, const std::string& id, const ColumnTitle& title) {
  const Rect& r = title.place;
  ImGui::SetCursorScreenPos({r.x, r.y});
  const bool pressed = press_area(c, id.c_str(), {r.width, r.height});
  note_control(c, id);
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && title.tip) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(420 * c.scale);
    ImGui::TextUnformatted(title.tip);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  const Colour ink = title.ascending ? Colour::Accent : hovered ? Colour::Text : Colour::Dim;
  const std::string says = std::string(title.text) + (!title.ascending ? "" : *title.ascending ? " ↑" : " ↓");
  draw_label(c, {r.x + title.inset, r.y, r.width - title.inset, r.height}, c.theme.as_text(ink), FontRole::SmallBold,
             says, title.align);
  return pressed;
}

}  // namespace lanescope::ui
