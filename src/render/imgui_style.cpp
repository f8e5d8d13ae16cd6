#include "render/imgui_style.h"

#include <imgui.h>

#include <algorithm>

namespace lanescope::ui {

void apply_to_imgui(const Theme& t, float scale) {
  ImGuiStyle style;
  style.WindowPadding = ImVec2(4 * kGrid, 3 * kGrid);
  style.WindowRounding = 8;
  style.WindowBorderSize = t.outline;
  style.ChildRounding = 8;
  style.ChildBorderSize = 0;
  style.PopupRounding = 8;
  style.PopupBorderSize = std::max(1.0f, t.outline);
  style.FramePadding = ImVec2(10, 5);
  style.FrameRounding = 5;
  style.FrameBorderSize = t.outline;
  style.ItemSpacing = ImVec2(2 * kGrid, 1.5f * kGrid);
  style.ItemInnerSpacing = ImVec2(2 * kGrid, kGrid);
  style.CellPadding = ImVec2(1.5f * kGrid, kGrid);
  style.IndentSpacing = 4 * kGrid;
  style.ScrollbarSize = 10;
  style.ScrollbarRounding = 5;
  style.GrabMinSize = 14;
  style.GrabRounding = 7;
  style.TabRounding = 5;
  style.WindowTitleAlign = ImVec2(0, 0.5f);
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.CircleTessellationMaxError = 0.15f;
  style.ScaleAllSizes(scale);

  auto set = [&style](ImGuiCol index, std::uint32_t colour) {
    style.Colors[index] = ImGui::ColorConvertU32ToFloat4(colour);
  };
  const std::uint32_t clear = 0;
  const std::uint32_t pressed = mix(t[Colour::PanelHovered], t[Colour::Accent], 0.25f);
  set(ImGuiCol_Text, t[Colour::Text]);
  set(ImGuiCol_TextDisabled, t[Colour::Dim]);
  set(ImGuiCol_WindowBg, t[Colour::Panel]);
  set(ImGuiCol_ChildBg, clear);
  set(ImGuiCol_PopupBg, t[Colour::PanelRaised]);
  set(ImGuiCol_Border, t[Colour::Line]);
  set(ImGuiCol_BorderShadow, clear);
  set(ImGuiCol_FrameBg, t[Colour::PanelRaised]);
  set(ImGuiCol_FrameBgHovered, t[Colour::PanelHovered]);
  set(ImGuiCol_FrameBgActive, pressed);
  set(ImGuiCol_TitleBg, t[Colour::Panel]);
  set(ImGuiCol_TitleBgActive, t[Colour::Panel]);
  set(ImGuiCol_TitleBgCollapsed, t[Colour::Panel]);
  set(ImGuiCol_MenuBarBg, t[Colour::Panel]);
  set(ImGuiCol_ScrollbarBg, clear);
  set(ImGuiCol_ScrollbarGrab, t[Colour::Line]);
  set(ImGuiCol_ScrollbarGrabHovered, t[Colour::Faint]);
  set(ImGuiCol_ScrollbarGrabActive, t[Colour::Muted]);
  set(ImGuiCol_CheckMark, t[Colour::Accent]);
  set(ImGuiCol_SliderGrab, t[Colour::Accent]);
  set(ImGuiCol_SliderGrabActive, t[Colour::Text]);
  set(ImGuiCol_Button, t[Colour::PanelRaised]);
  set(ImGuiCol_ButtonHovered, t[Colour::PanelHovered]);
  set(ImGuiCol_ButtonActive, pressed);
  set(ImGuiCol_Header, t[Colour::PanelRaised]);
  set(ImGuiCol_HeaderHovered, t[Colour::PanelHovered]);
  set(ImGuiCol_HeaderActive, pressed);
  set(ImGuiCol_Separator, t[Colour::Line]);
  set(ImGuiCol_SeparatorHovered, t[Colour::Accent]);
  set(ImGuiCol_SeparatorActive, t[Colour::Accent]);
  set(ImGuiCol_ResizeGrip, clear);
  set(ImGuiCol_ResizeGripHovered, t[Colour::Line]);
  set(ImGuiCol_ResizeGripActive, t[Colour::Accent]);
  set(ImGuiCol_Tab, t[Colour::Panel]);
  set(ImGuiCol_TabHovered, t[Colour::PanelHovered]);
#if IMGUI_VERSION_NUM >= 19090
  set(ImGuiCol_TabSelected, t[Colour::PanelRaised]);
  set(ImGuiCol_TabDimmed, t[Colour::Panel]);
  set(ImGuiCol_TabDimmedSelected, t[Colour::PanelRaised]);
#else
  set(ImGuiCol_TabActive, t[Colour::PanelRaised]);
  set(ImGuiCol_TabUnfocused, t[Colour::Panel]);
  set(ImGuiCol_TabUnfocusedActive, t[Colour::PanelRaised]);
#endif
  set(ImGuiCol_PlotLines, t[Colour::Accent]);
  set(ImGuiCol_PlotLinesHovered, t[Colour::Text]);
  set(ImGuiCol_PlotHistogram, t[Colour::Accent]);
  set(ImGuiCol_PlotHistogramHovered, t[Colour::Text]);
  set(ImGuiCol_TableHeaderBg, t[Colour::PanelRaised]);
  set(ImGuiCol_TableBorderStrong, t[Colour::Line]);
  set(ImGuiCol_TableBorderLight, t[Colour::Grid]);
  set(ImGuiCol_TableRowBg, clear);
  set(ImGuiCol_TableRowBgAlt, with_alpha(t[Colour::PanelRaised], 0.5f));
  set(ImGuiCol_TextSelectedBg, with_alpha(t[Colour::Accent], 0.35f));
  set(ImGuiCol_DragDropTarget, t[Colour::Accent]);
#if IMGUI_VERSION_NUM >= 19140
  set(ImGuiCol_NavCursor, t[Colour::Accent]);
#else
  set(ImGuiCol_NavHighlight, t[Colour::Accent]);
#endif
  set(ImGuiCol_NavWindowingHighlight, with_alpha(t[Colour::Accent], 0.7f));
  set(ImGuiCol_NavWindowingDimBg, t[Colour::Shadow]);
  set(ImGuiCol_ModalWindowDimBg, t[Colour::Shadow]);
#if IMGUI_VERSION_NUM >= 19200
  // Text sizes are set with the fonts.
  style.FontSizeBase = ImGui::GetStyle().FontSizeBase;
  style.FontScaleMain = ImGui::GetStyle().FontScaleMain;
  style.FontScaleDpi = ImGui::GetStyle().FontScaleDpi;
#endif
  ImGui::GetStyle() = style;
}

}  // namespace lanescope::ui
