// The menu of all actions: groups on the left, the actions of the chosen one with their keys on the right.
#include <imgui.h>

#include <algorithm>

#include "base/translate.h"
#include "render/labels.h"
#include "shell/keys.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kGroupWidth = 176, kItemsWidth = 500, kMenuRow = 26;

// An action, or a recent file.
struct MenuItem {
  const ActionInfo* action = nullptr;
  std::filesystem::path file;
};

std::vector<MenuItem> items_of(const ShellState& state, std::size_t group) {
  std::vector<MenuItem> found;
  for (const ActionInfo& a : actions()) {
    if (static_cast<std::size_t>(a.group) == group && a.action != Action::Menu) found.push_back({&a, {}});
  }
  if (static_cast<ActionGroup>(group) != ActionGroup::Out) return found;
  for (const std::filesystem::path& path : state.overlays.menu.recent) found.push_back({nullptr, path});
  return found;
}

void close(ShellState& state) {
  close_overlay(state);
  state.overlays.menu = {};
}

void choose(ShellState& state, const MenuItem& item) {
  close(state);
  if (item.action) {
    state.requests.actions.push_back(item.action->action);
  } else {
    state.requests.files = {item.file};
  }
}

void draw_row(const Canvas& c, const Rect& r, bool on, const std::string& says, const std::string& key, bool dead) {
  const float s = c.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (on) list.AddRectFilled({r.x, r.y}, {r.x + r.width, r.y + r.height}, c.theme[Colour::PanelHovered], 5 * s);
  const float width = r.width - 20 * s;
  const float key_width = key.empty() ? 0 : text_width(c.fonts, FontRole::MonoSmall, key) + 14 * s;
  const Label labels[] = {{r.x + 10 * s, r.y, width - key_width, c.theme.as_text(dead ? Colour::Dim : Colour::Text),
                           FontRole::Body, says, r.height},
                          {r.x + 10 * s, r.y, width, c.theme.as_text(Colour::Accent), FontRole::MonoSmall, key,
                           r.height, LabelAlign::Right}};
  draw_labels(list, c.fonts, labels);
}

void draw_groups(const Canvas& c, float width) {
  const float s = c.scale;
  MenuState& menu = c.state.overlays.menu;
  const bool mouse_moved = ImGui::GetIO().MouseDelta.x != 0 || ImGui::GetIO().MouseDelta.y != 0;
  for (std::size_t group = 0; group < kActionGroups; ++group) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string id = "menu.group." + std::to_string(group);
    const bool clicked = press_area(c, id.c_str(), {width, kMenuRow * s});
    note_control(c, id);
    if (clicked || (ImGui::IsItemHovered() && mouse_moved)) {
      menu.group = group;
      menu.item.reset();
    }
    draw_row(c, {at.x, at.y, width, kMenuRow * s}, menu.group == group, group_name(static_cast<ActionGroup>(group)), "",
             false);
    const float x = at.x + width - 12 * s;
    const float y = at.y + kMenuRow * s / 2;
    const std::uint32_t ink = c.theme.as_text(menu.group == group ? Colour::Text : Colour::Dim);
    ImGui::GetWindowDrawList()->AddTriangleFilled({x - 3 * s, y - 4 * s}, {x - 3 * s, y + 4 * s}, {x + 2 * s, y}, ink);
  }
}

void draw_items(const Canvas& c, float width, float height) {
  const float s = c.scale;
  ShellState& state = c.state;
  MenuState& menu = state.overlays.menu;
  ImGui::BeginChild("##items", {width, height}, false, ImGuiWindowFlags_NoNav);
  const float inner = ImGui::GetContentRegionAvail().x;
  const bool mouse_moved = ImGui::GetIO().MouseDelta.x != 0 || ImGui::GetIO().MouseDelta.y != 0;
  const std::vector<MenuItem> items = items_of(state, menu.group);
  std::optional<MenuItem> chosen;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const MenuItem& item = items[i];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string id = "menu." + (item.action ? std::string(item.action->name) : "file." + item.file.string());
    if (press_area(c, id.c_str(), {inner, kMenuRow * s})) chosen = item;
    note_control(c, id);
    const std::string why = item.action ? why_without_effect(state, item.action->action) : std::string();
    if (ImGui::IsItemHovered()) {
      if (mouse_moved) menu.item = i;
      if (!why.empty()) ImGui::SetTooltip("%s", why.c_str());
    }
    if (menu.item == i && !ImGui::IsItemVisible()) ImGui::SetScrollHereY(0.5f);
    const std::string says = item.action ? tr(item.action->text) : tr("open {}", item.file.filename().string());
    const std::string aside = item.action ? keys_text(*item.action) : short_path(item.file.parent_path());
    draw_row(c, {at.x, at.y, inner, kMenuRow * s}, menu.item == i, says, aside, !why.empty());
  }
  ImGui::EndChild();
  if (chosen) choose(state, *chosen);
}

}  // namespace

void draw_menu_button(const Canvas& c) {
  const float s = c.scale;
  const float side = 26 * s;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (press_area(c, "##menu", {side, side})) c.state.requests.actions.push_back(Action::Menu);
  note_control(c, "menu.button");
  const bool on = c.state.overlays.open == Overlay::Menu;
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (on || hovered) {
    list.AddRectFilled(at, {at.x + side, at.y + side}, c.theme[on ? Colour::Accent : Colour::PanelHovered], 5 * s);
  }
  const std::uint32_t ink = c.theme[on ? Colour::AccentInk : hovered ? Colour::Text : Colour::Muted];
  for (const float y : {8.0f, 13.0f, 18.0f}) {
    list.AddRectFilled({at.x + 6 * s, at.y + (y - 0.9f) * s}, {at.x + 20 * s, at.y + (y + 0.9f) * s}, ink, s);
  }
  const ActionInfo& menu = info(Action::Menu);
  const ActionInfo& walk = info(Action::NextControl);
  if (hovered && !on) {
    ImGui::SetTooltip("%s (%s)\n%s (%s)", tr(menu.text), key_text(menu.keys.front()).c_str(), tr(walk.text),
                      key_text(walk.keys.front()).c_str());
  }
}

void draw_menu(const Canvas& c) {
  if (c.state.overlays.open != Overlay::Menu) return;
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float pad = 8 * s;
  const float groups = kGroupWidth * s;
  const float items = std::min(kItemsWidth * s, display.x - groups - 3 * pad - 24 * s);
  const float top = 44 * s;
  std::size_t most = 0;
  for (std::size_t g = 0; g < kActionGroups; ++g) most = std::max(most, items_of(c.state, g).size());
  const float height = std::min(static_cast<float>(most) * kMenuRow * s, display.y - top - 2 * pad - 12 * s);
  const Rect box{12 * s, top, groups + items + 3 * pad, height + 2 * pad};
  c.state.places["menu"] = box;
  const bool outside = begin_sheet(c, "##menu", box, false);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::SetCursorPos({box.x + pad, box.y + pad});
  ImGui::BeginGroup();
  draw_groups(c, groups);
  ImGui::EndGroup();
  const float x = box.x + pad + groups + pad / 2;
  ImGui::GetWindowDrawList()->AddLine({x, box.y + pad}, {x, box.y + box.height - pad}, c.theme[Colour::Line]);
  ImGui::SetCursorPos({box.x + groups + 2 * pad, box.y + pad});
  draw_items(c, items, height);
  ImGui::PopStyleVar();
  ImGui::End();
  if (outside) close(c.state);
}

bool menu_key(ShellState& state, KeyChord chord) {
  MenuState& menu = state.overlays.menu;
  if (state.overlays.open != Overlay::Menu || chord.modifiers != 0) return false;
  const std::vector<MenuItem> items = items_of(state, menu.group);
  const auto step = [&](std::size_t by) {  // forward, wrapping around
    if (menu.item) {
      menu.item = (*menu.item + by + items.size()) % items.size();
    } else {
      menu.group = (menu.group + by + kActionGroups) % kActionGroups;
    }
  };
  switch (chord.key) {
    case key::Down:
      step(1);
      return true;
    case key::Up:
      step(menu.item ? items.size() - 1 : kActionGroups - 1);
      return true;
    case key::Right:
      if (!menu.item) menu.item = 0;
      return true;
    case key::Left:
      menu.item.reset();
      return true;
    case key::Enter:
    case key::KeypadEnter:
      if (menu.item) {
        choose(state, items[*menu.item]);
      } else {
        menu.item = 0;
      }
      return true;
    case key::Escape:
      close(state);
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::ui
