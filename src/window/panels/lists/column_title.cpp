#include "window/panels/lists/column_title.h"

#include <imgui.h>

#include "render/labels.h"
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
  const Label label{
      r.x + title.inset, r.y,        r.width - title.inset, c.theme.as_text(ink), FontRole::SmallBold, says,
      r.height,          title.align};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&label, 1});
  return pressed;
}

}  // namespace lanescope::ui
