// The user's own keys: every action with its keys; click one and press another.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "base/translate.h"
#include "render/labels.h"
#include "shell/bindings.h"
#include "shell/keys.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kKeysWidth = 900, kKeysHeight = 700, kKeysRow = 30, kChipHeight = 22;
constexpr float kKeys = 0.58f;  // share of the width at which the keys begin

void change(ShellState& state, Bindings bindings) {
  state.preferences.bindings = std::move(bindings);
  apply_bindings(state.preferences.bindings);
}

void stop_waiting(KeysPanelState& panel) {
  panel.waits_for.reset();
  panel.pressed.reset();
  panel.conflict.reset();
}

// Takes the key that was pressed for the waiting action.
void take_pressed(ShellState& state) {
  KeysPanelState& panel = state.overlays.keys;
  if (!panel.pressed || !panel.waits_for) return;
  const KeyChord chord = *std::exchange(panel.pressed, std::nullopt);
  if (chord.key == key::Escape) return stop_waiting(panel);
  const auto [action, place] = *panel.waits_for;
  if (state.preferences.bindings.taken_by(chord, action)) {
    panel.conflict = chord;
    return;
  }
  Bindings bindings = state.preferences.bindings;
  bindings.give(action, place, chord, false);
  change(state, std::move(bindings));
  stop_waiting(panel);
}

void draw_keys_header(const Canvas& c, const Rect& inner) {
  ShellState& state = c.state;
  KeysPanelState& panel = state.overlays.keys;
  const float s = c.scale;
  const float y = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(y + 2 * s);
  text(c, FontRole::Title, Colour::Text, tr("Keys"));
  ImGui::SetCursorPos({inner.x + 80 * s, y});
  if (std::exchange(panel.just_opened, false)) {
    drop_typed_characters();
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(std::min(320 * s, inner.width * 0.35f));
  {
    const TextStyle style(c, FontRole::Body, Colour::Text);
    ImGui::InputTextWithHint("##filter", tr("filter by action or key"), &panel.filter);
  }
  note_control(c, "keys.filter");
  const std::string close = std::string(tr("Close")) + " (Esc)";
  const float close_width = text_width(c.fonts, FontRole::Body, close) + 24 * s;
  const std::string reset = tr("Reset all");
  const float reset_width = text_width(c.fonts, FontRole::Body, reset) + 24 * s;
  if (state.preferences.bindings.any_own()) {
    ImGui::SetCursorPos({inner.x + inner.width - close_width - reset_width - 8 * s, y});
    if (button(c, "keys.reset_all", reset)) {
      stop_waiting(panel);
      change(state, {});
    }
  }
  ImGui::SetCursorPos({inner.x + inner.width - close_width, y});
  if (button(c, "keys.close", close)) close_overlay(state);
}

bool chip(const Canvas& c, const std::string& id, const std::string& says, Colour ground, Colour ink) {
  const float s = c.scale;
  const float width = std::max(26 * s, text_width(c.fonts, FontRole::MonoSmall, says) + 14 * s);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = press_area(c, id.c_str(), {width, kChipHeight * s});
  note_control(c, id);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 high{at.x + width, at.y + kChipHeight * s};
  list.AddRectFilled(at, high, c.theme[ImGui::IsItemHovered() ? Colour::PanelHovered : ground], 4 * s);
  if (c.theme.outline > 0) list.AddRect(at, high, c.theme[Colour::Line], 4 * s, 0, c.theme.outline * s);
  const Label label{at.x,
                    at.y,
                    width,
                    ground == Colour::Accent ? c.theme[ink] : c.theme.as_text(ink),
                    FontRole::MonoSmall,
                    says,
                    kChipHeight * s,
                    LabelAlign::Centre};
  draw_labels(list, c.fonts, {&label, 1});
  return clicked;
}

void draw_keys(const Canvas& c, const ActionInfo& action) {
  ShellState& state = c.state;
  KeysPanelState& panel = state.overlays.keys;
  const float gap = 5 * c.scale;
  const std::vector<KeyChord> keys = state.preferences.bindings.keys(action.action);
  const std::string id = "keys." + std::string(action.name) + ".";
  const auto waits = [&](std::size_t place) { return panel.waits_for == std::pair{action.action, place}; };
  const auto wait_for = [&](std::size_t place) {
    stop_waiting(panel);
    panel.waits_for = {action.action, place};
  };
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0) ImGui::SameLine(0, gap);
    const bool waiting = waits(i);
    const std::string says = waiting ? tr("press a key …") : key_text(keys[i]);
    if (chip(c, id + std::to_string(i), says, waiting ? Colour::Accent : Colour::PanelRaised,
             waiting ? Colour::AccentInk : Colour::Text)) {
      wait_for(i);
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr("click: change the key; right click: remove it"));
    if (ImGui::IsItemClicked(1)) {
      std::vector<KeyChord> left = keys;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      Bindings bindings = state.preferences.bindings;
      bindings.set(action.action, std::move(left));
      stop_waiting(panel);
      change(state, std::move(bindings));
      return;
    }
  }
  if (!keys.empty()) ImGui::SameLine(0, gap);
  const bool waiting = waits(keys.size());
  if (chip(c, id + "add", waiting ? tr("press a key …") : "+", waiting ? Colour::Accent : Colour::Panel,
           waiting ? Colour::AccentInk : Colour::Dim)) {
    wait_for(keys.size());
  }
  if (ImGui::IsItemHovered() && !waiting) ImGui::SetTooltip("%s", tr("add a key"));
  if (!state.preferences.bindings.own(action.action)) return;
  ImGui::SameLine(0, gap);
  if (chip(c, id + "reset", tr("reset"), Colour::Panel, Colour::Accent)) {
    Bindings bindings = state.preferences.bindings;
    bindings.reset(action.action);
    stop_waiting(panel);
    change(state, std::move(bindings));
  }
}

void draw_keys_list(const Canvas& c, float width, float height) {
  const float s = c.scale;
  const KeysPanelState& panel = c.state.overlays.keys;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild("##list", {width, height}, false, ImGuiWindowFlags_NoNav);
  const float inner = ImGui::GetContentRegionAvail().x;
  std::optional<ActionGroup> group;
  for (const ActionInfo& action : actions()) {
    const std::string all = std::string(tr(action.text)) + " " + action.name + " " + keys_text(action);
    if (found_score(panel.filter, all) == 0) continue;
    if (group != action.group) {
      group = action.group;
      ImGui::Dummy({0, 10 * s});
      text(c, FontRole::SmallBold, Colour::Dim, group_title(action.group));
      ImGui::Dummy({0, 4 * s});
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 local = ImGui::GetCursorPos();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (ImGui::IsWindowHovered() && mouse.y >= at.y && mouse.y < at.y + kKeysRow * s && mouse.x < at.x + inner) {
      list.AddRectFilled(at, {at.x + inner, at.y + kKeysRow * s}, with_alpha(c.theme[Colour::PanelRaised], 0.6f),
                         4 * s);
    }
    const Label label{at.x + 8 * s,    at.y,        inner * kKeys - 20 * s, c.theme[Colour::Text], FontRole::Body,
                      tr(action.text), kKeysRow * s};
    draw_labels(list, c.fonts, {&label, 1});
    ImGui::SetCursorPos({local.x + inner * kKeys, local.y + (kKeysRow - kChipHeight) / 2 * s});
    draw_keys(c, action);
    ImGui::SetCursorPos({local.x, local.y + kKeysRow * s});
    ImGui::Dummy({0, 0});
  }
  if (!group) text(c, FontRole::Body, Colour::Muted, tr("Nothing found."));
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

// At the bottom: the instructions, or which action already has the pressed key.
void draw_foot(const Canvas& c, const Rect& r) {
  ShellState& state = c.state;
  KeysPanelState& panel = state.overlays.keys;
  const float s = c.scale;
  std::string says = tr("Click a key, then press another one. Right click removes it.");
  std::optional<Action> other;
  if (panel.waits_for && panel.conflict)
    other = state.preferences.bindings.taken_by(*panel.conflict, panel.waits_for->first);
  if (other) {
    says = tr("{} is already the key for “{}”.", key_text(*panel.conflict), tr(info(*other).text));
  } else if (panel.waits_for) {
    says = tr("Press the key for “{}”. Esc: cancel.", tr(info(panel.waits_for->first).text));
  }
  float right = r.x + r.width;
  const auto place_button = [&](const char* id, const char* t, bool on) {
    const float width = text_width(c.fonts, on ? FontRole::BodyBold : FontRole::Body, t) + 24 * s;
    right -= width;
    ImGui::SetCursorPos({right, r.y + (r.height - 26 * s) / 2});
    right -= 8 * s;
    return button(c, id, t, on);
  };
  if (other) {
    const auto [action, place] = *panel.waits_for;
    const bool replaces = place < state.preferences.bindings.keys(action).size();
    const bool leave = place_button("keys.leave", tr("Cancel"), false);
    const bool take = place_button("keys.take", tr("Reassign"), !replaces);
    const bool swap = replaces && place_button("keys.swap", tr("Swap"), true);
    if (take || swap) {
      Bindings bindings = state.preferences.bindings;
      bindings.give(action, place, *panel.conflict, swap);
      change(state, std::move(bindings));
    }
    if (take || swap || leave) stop_waiting(panel);
  }
  const Label label{r.x + 8 * s,
                    r.y,
                    right - r.x - 16 * s,
                    c.theme.as_text(other ? Colour::Wait : Colour::Muted),
                    other ? FontRole::BodyBold : FontRole::Body,
                    says,
                    r.height};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&label, 1});
}

}  // namespace

void draw_keys_panel(const Canvas& c) {
  ShellState& state = c.state;
  if (state.overlays.open != Overlay::Keys) return;
  take_pressed(state);
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(kKeysWidth * s, display.x - 32 * s);
  const float height = std::min(kKeysHeight * s, display.y - 32 * s);
  const Rect box{(display.x - width) / 2, (display.y - height) / 2, width, height};
  const Rect inner{box.x + 20 * s, box.y + 16 * s, width - 40 * s, height - 24 * s};
  const float head = 36 * s, foot = 40 * s;
  state.places["keys"] = box;
  const bool outside = begin_sheet(c, "##keys", box);
  ImGui::SetCursorPos({inner.x, inner.y});
  draw_keys_header(c, inner);
  if (state.overlays.open == Overlay::Keys) {
    ImGui::SetCursorPos({inner.x, inner.y + head});
    draw_keys_list(c, inner.width, inner.height - head - foot);
    draw_foot(c, {inner.x, inner.y + inner.height - foot, inner.width, foot});
  }
  ImGui::End();
  if (outside) close_overlay(state);
}

}  // namespace lanescope::ui
