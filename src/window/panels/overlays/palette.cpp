#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/translate.h"
#include "render/labels.h"
#include "shell/keys.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kPaletteWidth = 760, kPaletteRow = 30;
constexpr int kRows = 14;

void choose_palette(ShellState& state, std::size_t place) {
  if (place >= state.overlays.palette.shown.size()) return;
  const PaletteEntry entry = state.overlays.palette.entries[state.overlays.palette.shown[place]];
  close_overlay(state);
  act(state, entry);
}

void move_choice_to(PaletteState& palette, std::ptrdiff_t place) {
  const auto count = static_cast<std::ptrdiff_t>(palette.shown.size());
  if (count == 0) return;
  palette.selected = static_cast<std::size_t>((place % count + count) % count);
  palette.scroll_to_selected = true;
}

// The field always has the keyboard focus: typing searches.
void draw_palette_field(const Canvas& c, float width) {
  PaletteState& palette = c.state.overlays.palette;
  const std::string before = palette.typed;
  if (!ImGui::IsAnyItemActive() && !ImGui::IsMouseDown(0)) focus_field(c);
  ImGui::SetNextItemWidth(width);
  {
    const TextStyle style(c, FontRole::Body, Colour::Text);
    ImGui::InputTextWithHint("##palette", tr("Search actions, knobs, experiments, devices …"), &palette.typed);
  }
  note_control(c, "palette.field");
  if (palette.typed != before) find_in_palette(c.state);
  const std::ptrdiff_t steps = std::exchange(palette.steps, 0);
  const auto at = static_cast<std::ptrdiff_t>(palette.selected);
  const auto last = static_cast<std::ptrdiff_t>(palette.shown.size()) - 1;
  if (std::abs(steps) == 1) move_choice_to(palette, at + steps);  // wraps around
  if (std::abs(steps) > 1)
    move_choice_to(palette, std::clamp<std::ptrdiff_t>(at + steps, 0, std::max<std::ptrdiff_t>(last, 0)));
  if (std::exchange(palette.enter, false)) choose_palette(c.state, palette.selected);
}

void draw_palette_row(const Canvas& c, const PaletteEntry& entry, const Rect& r, bool selected, bool hovered) {
  const float s = c.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (selected || hovered) {
    list.AddRectFilled({r.x, r.y}, {r.x + r.width, r.y + r.height},
                       c.theme[selected ? Colour::PanelHovered : Colour::PanelRaised], 5 * s);
  }
  if (selected) {
    list.AddRectFilled({r.x, r.y + 5 * s}, {r.x + 3 * s, r.y + r.height - 5 * s}, c.theme[Colour::Accent], 1.5f * s);
  }
  const float left = r.x + 12 * s;
  const float width = r.width - 24 * s;
  const FontRole aside_font = entry.is_key ? FontRole::MonoSmall : FontRole::Small;
  const float aside = entry.aside.empty() ? 0 : text_width(c.fonts, aside_font, entry.aside) + 16 * s;
  const float room = width - aside;
  const float text_w = std::min(text_width(c.fonts, FontRole::Body, entry.text), room);
  const bool dead = !entry.why.empty();
  const Label labels[] = {
      {left, r.y, room, c.theme[dead ? Colour::Muted : Colour::Text], FontRole::Body, entry.text, r.height},
      {left + text_w + 12 * s, r.y, room - text_w - 12 * s, c.theme.as_text(Colour::Dim), FontRole::Small, entry.why,
       r.height},
      {left, r.y, width, c.theme.as_text(entry.is_key ? Colour::Accent : Colour::Dim), aside_font, entry.aside,
       r.height, LabelAlign::Right}};
  draw_labels(list, c.fonts, labels);
}

void draw_found_rows(const Canvas& c, float width, float height) {
  PaletteState& palette = c.state.overlays.palette;
  const float row = kPaletteRow * c.scale;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild("##found", {width, height}, false, ImGuiWindowFlags_NoNav);
  if (palette.scroll_to_selected) {
    const float top = static_cast<float>(palette.selected) * row;
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (top + row > ImGui::GetScrollY() + height) ImGui::SetScrollY(top + row - height);
    palette.scroll_to_selected = false;
  }
  const float inner = ImGui::GetContentRegionAvail().x;
  std::optional<std::size_t> clicked;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(palette.shown.size()), row);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const PaletteEntry& entry = palette.entries[palette.shown[place]];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      if (press_area(c, entry.id.c_str(), {inner, row})) clicked = place;
      note_control(c, "palette." + entry.id);
      draw_palette_row(c, entry, {at.x, at.y, inner, row}, place == palette.selected, ImGui::IsItemHovered());
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  if (clicked) choose_palette(c.state, *clicked);
}

}  // namespace

void draw_palette(const Canvas& c) {
  PaletteState& palette = c.state.overlays.palette;
  if (c.state.overlays.open != Overlay::Palette) return;
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float pad = 12 * s;
  const float width = std::min(kPaletteWidth * s, display.x - 32 * s);
  const float field = ImGui::GetStyle().FramePadding.y * 2 + c.fonts.size(FontRole::Body);
  const float footer = 24 * s;
  const float top = std::max(12 * s, std::min(76 * s, display.y * 0.1f));
  const float most = display.y - top - 2 * pad - field - footer - 24 * s;
  const auto count = static_cast<float>(std::clamp<std::size_t>(palette.shown.size(), 1, kRows));
  const float rows = std::min(count * kPaletteRow * s, std::floor(most / (kPaletteRow * s)) * kPaletteRow * s);
  const Rect box{(display.x - width) / 2, top, width, 2 * pad + field + 8 * s + rows + footer};
  c.state.places["palette"] = box;
  const bool outside = begin_sheet(c, "##palette", box);
  ImGui::SetCursorPos({box.x + pad, box.y + pad});
  draw_palette_field(c, width - 2 * pad);
  if (c.state.overlays.open == Overlay::Palette) {
    ImGui::SetCursorPos({box.x + pad, box.y + pad + field + 8 * s});
    if (palette.shown.empty()) {
      text(c, FontRole::Body, Colour::Muted, tr("Nothing found."));
    } else {
      draw_found_rows(c, width - 2 * pad, rows);
    }
    const Label hint{box.x + pad + 12 * s,
                     box.y + box.height - footer - 2 * s,
                     width - 2 * pad - 24 * s,
                     c.theme[Colour::Dim],
                     FontRole::Small,
                     tr("↑ ↓ choose   Enter run   Esc close"),
                     footer};
    draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&hint, 1});
  }
  ImGui::End();
  if (outside) close_overlay(c.state);
}

bool palette_key(ShellState& state, KeyChord chord) {
  PaletteState& palette = state.overlays.palette;
  if (state.overlays.open != Overlay::Palette || chord.modifiers != 0) return false;
  switch (chord.key) {
    case key::Down:
      ++palette.steps;
      return true;
    case key::Up:
      --palette.steps;
      return true;
    case key::PageDown:
      palette.steps += kRows - 1;
      return true;
    case key::PageUp:
      palette.steps -= kRows - 1;
      return true;
    case key::Enter:
    case key::KeypadEnter:
      palette.enter = true;
      return true;
    case key::Escape:
      close_overlay(state);
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::ui
