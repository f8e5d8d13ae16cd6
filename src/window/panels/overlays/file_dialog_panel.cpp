// Where the desktop has no dialog for files: one field for a path, and what it may go on with.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/translate.h"
#include "render/labels.h"
#include "shell/keys.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kFileWidth = 760, kFileRow = 26, kFilePad = 20, kFileButton = 110;
constexpr int kFileRows = 12;

// ImGui keeps the text of a field that is being edited: a text changed by the program is put in here.
int put_typed(ImGuiInputTextCallbackData* data) {
  PathField& field = *static_cast<PathField*>(data->UserData);
  const auto from = std::exchange(field.select_from, std::nullopt);
  if (!from) return 0;
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, field.typed.c_str());
  data->SelectionStart = static_cast<int>(*from);
  data->SelectionEnd = data->CursorPos = data->BufTextLen;
  return 0;
}

void draw_path(const Canvas& c, float width) {
  PathField& field = c.state.files.field;
  if (!ImGui::IsAnyItemActive() && !ImGui::IsMouseDown(0)) focus_field(c);
  ImGui::SetNextItemWidth(width);
  std::string typed = field.typed;
  {
    const TextStyle style(c, FontRole::Mono, Colour::Text);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, c.theme[Colour::PanelRaised]);
    ImGui::PushStyleColor(ImGuiCol_Border, c.theme[Colour::Accent]);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1.0f);
    ImGui::InputText("##files.field", &typed, ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_NoUndoRedo,
                     put_typed, &field);
    ImGui::PopStyleVar();
    ImGui::PopStyleColor(2);
  }
  note_control(c, "files.field");
  if (typed != field.typed) field.type(typed);
  if (const std::ptrdiff_t steps = std::exchange(field.steps, 0); steps != 0 && !field.found.empty()) {
    const std::ptrdiff_t at = field.selected ? static_cast<std::ptrdiff_t>(*field.selected) : -1;
    field.selected = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at + steps, 0, std::ssize(field.found) - 1));
    field.scroll_to_selected = true;
  }
  if (std::exchange(field.complete, false)) field.complete_typed();
  if (std::exchange(field.enter, false)) field.confirm();
}

void draw_found(const Canvas& c, ImVec2 size) {
  PathField& field = c.state.files.field;
  const float s = c.scale, row = kFileRow * s;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild("##files.found", size, false, ImGuiWindowFlags_NoNav);
  if (std::exchange(field.scroll_to_selected, false) && field.selected) {
    const float top = static_cast<float>(*field.selected) * row;
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (top + row > ImGui::GetScrollY() + size.y) ImGui::SetScrollY(top + row - size.y);
  }
  const float inner = ImGui::GetContentRegionAvail().x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::optional<std::size_t> clicked;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(field.found.size()), row);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const std::string id = "files.row." + std::to_string(i);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      if (press_area(c, id.c_str(), {inner, row})) clicked = place;
      note_control(c, id);
      const bool selected = field.selected == place;
      if (selected || ImGui::IsItemHovered()) {
        list.AddRectFilled(at, {at.x + inner, at.y + row},
                           c.theme[selected ? Colour::PanelHovered : Colour::PanelRaised], 5 * s);
      }
      const std::string& name = field.found[place];
      const Label label{at.x + 10 * s,
                        at.y,
                        inner - 20 * s,
                        c.theme[Colour::Text],
                        name.ends_with('/') ? FontRole::BodyBold : FontRole::Body,
                        name,
                        row};
      draw_labels(list, c.fonts, {&label, 1});
    }
  }
  if (field.found.empty()) {
    ImGui::SetCursorPos({10 * s, 4 * s});
    text(c, FontRole::Body, Colour::Muted, tr("Nothing found."));
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  if (clicked) field.take(*clicked);
}

}  // namespace

void draw_file_dialog(const Canvas& c) {
  ShellState& state = c.state;
  if (state.overlays.open != Overlay::Files) return;
  PathField& field = state.files.field;
  const float s = c.scale, pad = kFilePad * s;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(kFileWidth * s, display.x - 32 * s), inner = width - 2 * pad;
  const bool bad = !field.problem.empty(), save = field.question.save;
  const FontRole role = bad ? FontRole::BodyBold : FontRole::Small;
  const std::string foot = bad    ? wrapped_lines(c, role, field.problem, inner)
                           : save ? tr("Tab complete   ↑ ↓ choose   Enter save   Esc close")
                                  : tr("Tab complete   ↑ ↓ choose   Enter open   Esc close");
  const float line = ImGui::GetStyle().FramePadding.y * 2 + c.fonts.size(FontRole::Mono);
  const float above = 54 * s + line + 10 * s;
  const float below = 16 * s + static_cast<float>(1 + std::ranges::count(foot, '\n')) * (c.fonts.size(role) + 4 * s);
  const float rows =
      std::floor(std::min<float>(kFileRows, (display.y - 24 * s - above - below - 10 * s) / (kFileRow * s)));
  const float height = above + rows * kFileRow * s + 10 * s;
  const Rect box{std::round((display.x - width) / 2), std::round(std::max(12 * s, (display.y - height) / 4)), width,
                 height + below};
  state.places["files"] = box;
  const bool outside = begin_sheet(c, "##files", box);
  ImGui::SetCursorScreenPos({box.x + pad, box.y + 16 * s});
  text(c, FontRole::Title, Colour::Text, field.question.title);
  ImGui::SetCursorScreenPos({box.x + pad, box.y + 54 * s});
  draw_path(c, inner - kFileButton * s - 10 * s);
  ImGui::SetCursorScreenPos({box.x + width - pad - kFileButton * s, box.y + 54 * s});
  const char* deed = !field.replaces.empty() ? tr("Replace") : save ? tr("Save") : tr("Open");
  if (button(c, "files.confirm", deed, true, kFileButton * s, "Enter")) field.confirm();
  ImGui::SetCursorScreenPos({box.x + pad, box.y + above});
  draw_found(c, {inner, rows * kFileRow * s});
  ImGui::SetCursorScreenPos({box.x + pad, box.y + height});
  text(c, role, bad ? Colour::Wait : Colour::Dim, foot);
  if (bad) note_place(c, "files.problem");
  ImGui::End();
  if (outside && !field.chosen) close_overlay(state);
}

bool file_dialog_key(ShellState& state, KeyChord chord) {
  if (state.overlays.open != Overlay::Files || chord.modifiers != 0) return false;
  PathField& field = state.files.field;
  switch (chord.key) {
    case key::Down:
      ++field.steps;
      return true;
    case key::Up:
      --field.steps;
      return true;
    case key::PageDown:
      field.steps += kFileRows - 1;
      return true;
    case key::PageUp:
      field.steps -= kFileRows - 1;
      return true;
    case key::Tab:
      field.complete = true;
      return true;
    case key::Enter:
    case key::KeypadEnter:
      field.enter = true;
      return true;
    case key::Escape:
      close_overlay(state);
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::ui
