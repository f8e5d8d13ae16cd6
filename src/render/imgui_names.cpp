#include "render/imgui_names.h"

#include <imgui_internal.h>

namespace lanescope::ui {

ImGuiID imgui_id(std::string_view name) {
  const ImGuiID id = ImHashData(name.data(), name.size(), ImGui::GetCurrentWindow()->IDStack.back());
  ImGui::KeepAliveID(id);
  return id;
}

std::string imgui_label(std::string_view text) {
  std::string label;
  for (const char c : text) {
    if (c == '#' && label.ends_with('#')) label += ' ';
    label += c;
  }
  return label;
}

}  // namespace lanescope::ui
