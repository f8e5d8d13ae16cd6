#include "render/imgui_style.h"

#include <imgui.h>

#include <algorithm>

namespace lanescope::ui {
namespace {

struct ColourRow {
  ImGuiCol index;
  Colour colour;
};
constexpr ColourRow kColours[] = {
    {ImGuiCol_Text, Colour::Text},
    {ImGuiCol_TextDisabled, Colour::Dim},
    {ImGuiCol_WindowBg, Colour::Panel},
    {ImGuiCol_PopupBg, Colour::PanelRaised},
    {ImGuiCol_Border, Colour::Line},
    {ImGuiCol_FrameBg, Colour::PanelRaised},
    {ImGuiCol_FrameBgHovered, Colour::PanelHovered},
    {ImGuiCol_TitleBg, Colour::Panel},
    {ImGuiCol_TitleBgActive, Colour::Panel},
    {ImGuiCol_TitleBgCollapsed, Colour::Panel},
    {ImGuiCol_MenuBarBg, Colour::Panel},
    {ImGuiCol_ScrollbarGrab, Colour::Line},
    {ImGuiCol_ScrollbarGrabHovered, Colour::Faint},
    {ImGuiCol_ScrollbarGrabActive, Colour::Muted},
    {ImGuiCol_CheckMark, Colour::Accent},
    {ImGuiCol_SliderGrab, Colour::Accent},
    {ImGuiCol_SliderGrabActive, Colour::Text},
    {ImGuiCol_Button, Colour::PanelRaised},
    {ImGuiCol_ButtonHovered, Colour::PanelHovered},
    {ImGuiCol_Header, Colour::PanelRaised},
    {ImGuiCol_HeaderHovered, Colour::PanelHovered},
    {ImGuiCol_Separator, Colour::Line},
    {ImGuiCol_SeparatorHovered, Colour::Accent},
    {ImGuiCol_SeparatorActive, Colour::Accent},
    {ImGuiCol_ResizeGripHovered, Colour::Line},
    {ImGuiCol_ResizeGripActive, Colour::Accent},
    {ImGuiCol_Tab, Colour::Panel},
    {ImGuiCol_TabHovered, Colour::PanelHovered},
#if IMGUI_VERSION_NUM >= 19090
    {ImGuiCol_TabSelected, Colour::PanelRaised},
    {ImGuiCol_TabDimmed, Colour::Panel},
    {ImGuiCol_TabDimmedSelected, Colour::PanelRaised},
#else
    {ImGuiCol_TabActive, Colour::PanelRaised},
    {ImGuiCol_TabUnfocused, Colour::Panel},
    {ImGuiCol_TabUnfocusedActive, Colour::PanelRaised},
#endif
    {ImGuiCol_PlotLines, Colour::Accent},
    {ImGuiCol_PlotLinesHovered, Colour::Text},
    {ImGuiCol_PlotHistogram, Colour::Accent},
    {ImGuiCol_PlotHistogramHovered, Colour::Text},
    {ImGuiCol_TableHeaderBg, Colour::PanelRaised},
    {ImGuiCol_TableBorderStrong, Colour::Line},
    {ImGuiCol_TableBorderLight, Colour::Grid},
    {ImGuiCol_DragDropTarget, Colour::Accent},
#if IMGUI_VERSION_NUM >= 19140
    {ImGuiCol_NavCursor, Colour::Accent},
#else
    {ImGuiCol_NavHighlight, Colour::Accent},
#endif
    {ImGuiCol_NavWindowingDimBg, Colour::Shadow},
    {ImGuiCol_ModalWindowDimBg, Colour::Shadow},
};

}  // namespace

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
  for (const auto& [index, colour] : kColours) set(index, t[colour]);
  const std::uint32_t clear = 0;
  const std::uint32_t pressed = mix(t[Colour::PanelHovered], t[Colour::Accent], 0.25f);
  set(ImGuiCol_ChildBg, clear);
  set(ImGuiCol_BorderShadow, clear);
  set(ImGuiCol_FrameBgActive, pressed);
  set(ImGuiCol_ScrollbarBg, clear);
  set(ImGuiCol_ButtonActive, pressed);
  set(ImGuiCol_HeaderActive, pressed);
  set(ImGuiCol_ResizeGrip, clear);
  set(ImGuiCol_TableRowBg, clear);
  set(ImGuiCol_TableRowBgAlt, with_alpha(t[Colour::PanelRaised], 0.5f));
  set(ImGuiCol_TextSelectedBg, with_alpha(t[Colour::Accent], 0.35f));
  set(ImGuiCol_NavWindowingHighlight, with_alpha(t[Colour::Accent], 0.7f));
#if IMGUI_VERSION_NUM >= 19200
  // Text sizes are set with the fonts.
  style.FontSizeBase = ImGui::GetStyle().FontSizeBase;
  style.FontScaleMain = ImGui::GetStyle().FontScaleMain;
  style.FontScaleDpi = ImGui::GetStyle().FontScaleDpi;
#endif
  ImGui::GetStyle() = style;
}

}  // namespace lanescope::ui
