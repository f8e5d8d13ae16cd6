#include <imgui.h>

#include <algorithm>
#include <utility>

#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/plots/plot_rows.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr const char* kPopup = "##plot_menu";

float menu_height = 0;  // as last drawn

// A line with a tick, a name and, at the right edge, a value or a key.
bool plot_line(const Canvas& c, const std::string& id, const std::string& name, const std::string& says, bool on,
               Colour colour, float width) {
  const float s = c.scale;
  const float height = 23 * s;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = press_area(c, id.c_str(), {width, height});
  note_control(c, id);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered) {
    list.AddRectFilled(at, {at.x + width, at.y + height}, c.theme[Colour::PanelHovered], 4 * s);
  }
  const float side = 12 * s;
  const ImVec2 low{at.x + 8 * s, at.y + (height - side) / 2};
  if (on) {
    list.AddRectFilled(low, {low.x + side, low.y + side}, c.theme[colour], 3 * s);
  } else {
    list.AddRect(low, {low.x + side, low.y + side}, c.theme[Colour::Faint], 3 * s, 0, 1.5f * s);
  }
  const float room = text_width(c.fonts, FontRole::MonoSmall, says) + 8 * s;
  const Label labels[2] = {{at.x + 28 * s, at.y, width - 36 * s - room, c.theme[on ? Colour::Text : Colour::Muted],
                            FontRole::Body, name, height},
                           {at.x, at.y, width - 8 * s, on ? c.theme.as_text(colour) : c.theme[Colour::Dim],
                            FontRole::MonoSmall, says, height, LabelAlign::Right}};
  draw_labels(list, c.fonts, labels);
  return clicked;
}

void draw_plot_groups(const Canvas& c, const std::vector<PlotInfo>& catalogue, PlotGroup first, PlotGroup last,
                      float width) {
  ShellState& state = c.state;
  PlotChoice& choice = state.plots.view.choice;
  std::optional<PlotGroup> group;
  for (const PlotInfo& info : catalogue) {
    if (info.group < first || info.group > last) continue;
    if (group != info.group) heading(c, group_title(info.group));
    group = info.group;
    const bool on = shows_plot(state, info.key);
    const std::string value = plot_text(info.unit, newest_value(state, info));
    if (!plot_line(c, "plot_menu." + info.key, info.label, value, on, info.colour, width)) continue;
    on ? choice.remove(info.key) : choice.add(info.key);
    remember_choice(state);
  }
}

void draw_content(const Canvas& c, const std::vector<PlotInfo>& catalogue) {
  ShellState& state = c.state;
  const float width = 216 * c.scale;
  ImGui::BeginGroup();
  draw_plot_groups(c, catalogue, PlotGroup::Pace, PlotGroup::Idle, width);
  vertical_space(c, 8);
  ImGui::EndGroup();
  ImGui::SameLine(0, 20 * c.scale);
  ImGui::BeginGroup();
  draw_plot_groups(c, catalogue, PlotGroup::Copies, PlotGroup::Values, width);
  heading(c, tr("ALL PLOTS"));
  if (plot_line(c, "plot_menu.log", tr("logarithmic"), keys_text(info(Action::TogglePlotLog)),
                state.plots.view.logarithmic, Colour::Accent, width)) {
    state.requests.actions.push_back(Action::TogglePlotLog);
  }
  if (plot_line(c, "plot_menu.ghost", tr("ghost of this run"), keys_text(info(Action::PinGhost)),
                !state.plots.ghost.empty(), Colour::Accent, width)) {
    state.requests.actions.push_back(Action::PinGhost);
  }
  vertical_space(c, 6);
  if (button(c, "plot_menu.reset", tr("reset the plots"), false, width)) {
    state.plots.view.choice.reset();
    remember_choice(state);
  }
  vertical_space(c, 8);
  ImGui::EndGroup();
}

}  // namespace

void draw_plot_menu(const Canvas& c, const std::vector<PlotInfo>& catalogue) {
  PlotsView& view = c.state.plots.view;
  const float s = c.scale;
  if (view.toggle_menu && !view.menu_open) {
    view.toggle_menu = false;
    ImGui::OpenPopup(kPopup);
  }
  // Opens upwards at the right edge, over the timeline, and leaves the plots visible if there is space.
  const float right = c.state.view.axis().right_px();
  const float most = ImGui::GetIO().DisplaySize.y - 16 * s;
  const float bottom = std::max(ImGui::GetWindowPos().y, std::min(menu_height, most) + 8 * s);
  ImGui::SetNextWindowPos({right, bottom}, ImGuiCond_Always, {1, 1});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, most});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {10 * s, 4 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {8 * s, 0});
  view.menu_open = ImGui::BeginPopup(kPopup);
  if (view.menu_open) {
    if (std::exchange(view.toggle_menu, false)) ImGui::CloseCurrentPopup();
    draw_content(c, catalogue);
    menu_height = ImGui::GetWindowHeight();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
}

}  // namespace lanescope::ui
