// Our own dialog for files: recent files and places on the left, a folder's list on the right, a field for a path
// below.
#include <fmt/chrono.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "base/platform/system_time.h"
#include "base/translate.h"
#include "render/labels.h"
#include "shell/keys.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;
namespace fs = std::filesystem;

constexpr float kFileWidth = 920, kHeight = 580, kFileRow = 24, kFileLeft = 250, kFilePad = 20;
constexpr std::ptrdiff_t kPage = 12;

// Text that keeps its end: of a path, that is the part that matters.
std::string fit_end(const Canvas& c, FontRole role, const std::string& says, float width) {
  if (text_width(c.fonts, role, says) <= width) return says;
  for (std::size_t cut = 1; cut < says.size(); ++cut) {
    if ((static_cast<unsigned char>(says[cut]) & 0xC0) == 0x80) continue;
    const std::string rest = "…" + says.substr(cut);
    if (text_width(c.fonts, role, rest) <= width) return rest;
  }
  return "…";
}

bool draw_place(const Canvas& c, const std::string& id, const std::string& name, const std::string& aside,
                float width) {
  const float s = c.scale;
  const float height = (aside.empty() ? kFileRow : 38) * s;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = press_area(c, id.c_str(), {width, height});
  note_control(c, id);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (ImGui::IsItemHovered()) {
    list.AddRectFilled(at, {at.x + width, at.y + height}, c.theme[Colour::PanelHovered], 5 * s);
  }
  const float line = aside.empty() ? height : 20 * s;
  const float room = width - 16 * s;
  const Label labels[] = {{at.x + 8 * s, at.y + (aside.empty() ? 0 : s), room, c.theme[Colour::Text], FontRole::Body,
                           fit_end(c, FontRole::Body, name, room), line},
                          {at.x + 8 * s, at.y + 19 * s, room, c.theme.as_text(Colour::Muted), FontRole::Small,
                           fit_end(c, FontRole::Small, aside, room), 16 * s}};
  draw_labels(list, c.fonts, labels);
  return clicked;
}

void draw_left(const Canvas& c, float width, float height) {
  FileDialog& dialog = c.state.files.own;
  ImGui::BeginChild("##files.left", {width, height}, false, ImGuiWindowFlags_NoNav);
  const float inner = ImGui::GetContentRegionAvail().x;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  std::optional<fs::path> wanted;
  if (!dialog.recent.empty()) {
    text(c, FontRole::SmallBold, Colour::Dim, tr("RECENT"));
    vertical_space(c, 4);
    for (std::size_t i = 0; i < dialog.recent.size(); ++i) {
      const fs::path& path = dialog.recent[i];
      if (draw_place(c, "files.recent." + std::to_string(i), path.filename().string(), short_path(path.parent_path()),
                     inner)) {
        wanted = path;
      }
    }
    vertical_space(c, 12);
  }
  text(c, FontRole::SmallBold, Colour::Dim, tr("FOLDERS"));
  vertical_space(c, 4);
  for (std::size_t i = 0; i < dialog.places.size(); ++i) {
    if (draw_place(c, "files.place." + std::to_string(i), short_path(dialog.places[i]), "", inner)) {
      wanted = dialog.places[i];
    }
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
  if (!wanted) return;
  const std::string name = dialog.typed;
  dialog.confirm(*wanted);
  if (dialog.question.save) dialog.typed = name;
}

struct ListShape {
  float name, name_width, size_right, size_width, changed, changed_width;
};

ListShape shape_in(const Canvas& c, const Rect& r) {
  const float s = c.scale;
  ListShape k{};
  k.changed_width = text_width(c.fonts, FontRole::MonoSmall, "0000-00-00 00:00") + 4 * s;
  k.changed = r.x + r.width - k.changed_width - 10 * s;
  k.size_width = text_width(c.fonts, FontRole::MonoSmall, "0,000.0 MB") + 8 * s;
  k.size_right = k.changed - 16 * s;
  k.name = r.x + 10 * s;
  k.name_width = k.size_right - k.size_width - k.name - 8 * s;
  return k;
}

void draw_file_titles(const Canvas& c, const Rect& r, const ListShape& k) {
  FileDialog& dialog = c.state.files.own;
  const float s = c.scale;
  const std::tuple<FileColumn, const char*, float, float, LabelAlign> titles[] = {
      {FileColumn::Name, tr("NAME"), k.name, k.name_width, LabelAlign::Left},
      {FileColumn::Size, tr("SIZE"), k.size_right - k.size_width, k.size_width, LabelAlign::Right},
      {FileColumn::Changed, tr("CHANGED"), k.changed, k.changed_width, LabelAlign::Left}};
  for (const auto& [column, title, x, width, align] : titles) {
    ImGui::SetCursorScreenPos({x, r.y});
    const std::string id = "files.by." + std::to_string(static_cast<int>(column));
    if (press_area(c, id.c_str(), {width, 20 * s})) dialog.sort(column);
    note_control(c, id);
    const bool on = dialog.sorted_by == column;
    const Colour ink = on ? Colour::Accent : ImGui::IsItemHovered() ? Colour::Text : Colour::Dim;
    const std::string says = std::string(title) + (on ? (dialog.backwards ? " ↑" : " ↓") : "");
    const Label label{x, r.y, width, c.theme.as_text(ink), FontRole::SmallBold, says, 20 * s, align};
    draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&label, 1});
  }
}

void draw_entry(const Canvas& c, const FileEntry& entry, const Rect& r, const ListShape& k, bool selected,
                bool hovered) {
  const float s = c.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (selected || hovered) {
    list.AddRectFilled({r.x, r.y}, {r.x + r.width, r.y + r.height},
                       c.theme[selected ? Colour::PanelHovered : Colour::PanelRaised], 5 * s);
  }
  if (selected) {
    list.AddRectFilled({r.x, r.y + 4 * s}, {r.x + 3 * s, r.y + r.height - 4 * s}, c.theme[Colour::Accent], 1.5f * s);
  }
  std::string changed = "–";
  if (const auto local = base::local_time(entry.changed)) changed = fmt::format("{:%Y-%m-%d %H:%M}", *local);
  const Label labels[] = {
      {k.name, r.y, k.name_width, c.theme[Colour::Text], entry.folder ? FontRole::BodyBold : FontRole::Body,
       entry.folder ? entry.name + "/" : entry.name, r.height},
      {k.size_right - k.size_width, r.y, k.size_width, c.theme.as_text(Colour::Muted), FontRole::MonoSmall,
       entry.folder ? "" : base::format_bytes(static_cast<std::int64_t>(entry.bytes)), r.height, LabelAlign::Right},
      {k.changed, r.y, k.changed_width, c.theme.as_text(Colour::Muted), FontRole::MonoSmall, changed, r.height}};
  draw_labels(list, c.fonts, labels);
}

void draw_list(const Canvas& c, const Rect& r) {
  FileDialog& dialog = c.state.files.own;
  const float s = c.scale;
  const float row = kFileRow * s;
  const ListShape k = shape_in(c, r);
  draw_file_titles(c, r, k);
  const Rect body{r.x, r.y + 22 * s, r.width, r.height - 22 * s};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({r.x, body.y - 1}, {r.x + r.width, body.y - 1}, c.theme[Colour::Line]);
  ImGui::SetCursorScreenPos({body.x, body.y});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild("##files.list", {body.width, body.height}, false, ImGuiWindowFlags_NoNav);
  if (dialog.scroll_to_selected && dialog.selected) {
    const float top = static_cast<float>(*dialog.selected) * row;
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (top + row > ImGui::GetScrollY() + body.height) ImGui::SetScrollY(top + row - body.height);
  }
  dialog.scroll_to_selected = false;
  const float inner = ImGui::GetContentRegionAvail().x;
  std::optional<std::size_t> clicked;
  bool twice = false;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(dialog.shown.size()), row);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const FileEntry& entry = dialog.contents.entries[dialog.shown[place]];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      if (press_area(c, ("files.row." + std::to_string(i)).c_str(), {inner, row})) clicked = place;
      note_control(c, "files.row." + std::to_string(i));
      const bool hovered = ImGui::IsItemHovered();
      if (hovered && ImGui::IsMouseDoubleClicked(0)) {
        clicked = place;
        twice = true;
      }
      draw_entry(c, entry, {at.x, at.y, inner, row}, k, dialog.selected == place, hovered);
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  if (dialog.shown.empty()) {
    const bool all = dialog.contents.entries.empty() || dialog.typed.empty();
    const char* says = dialog.reading.busy()  ? tr("reading …")
                       : !all                 ? tr("Nothing here has that in its name.")
                       : dialog.question.save ? tr("no files of this kind here")
                                              : tr("no traces here (.lanescope, .json, .json.gz, .sqlite, .nsys-rep)");
    const Label label{k.name, body.y + 6 * s, body.width, c.theme.as_text(Colour::Muted), FontRole::Body, says, row};
    draw_labels(list, c.fonts, {&label, 1});
  }
  if (!clicked) return;
  dialog.select(static_cast<std::ptrdiff_t>(*clicked));
  if (twice) dialog.confirm(dialog.folder / dialog.contents.entries[dialog.shown[*clicked]].name);
}

// The field has the keyboard focus: what is typed filters the list, or is a path.
void draw_file_field(const Canvas& c, float width) {
  FileDialog& dialog = c.state.files.own;
  static int field = 0;  // ImGui keeps the text of a field that is being edited, so a changed text needs a new one
  const bool first = std::exchange(dialog.just_opened, false);
  if (first) drop_typed_characters();
  if (std::exchange(dialog.field_changed, false)) ++field;
  if (!ImGui::IsAnyItemActive() && !ImGui::IsMouseDown(0)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(width);
  std::string typed = dialog.typed;
  {
    const TextStyle style(c, FontRole::Mono, Colour::Text);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, c.theme[Colour::PanelRaised]);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1.0f);
    ImGui::PushStyleColor(ImGuiCol_Border, c.theme[Colour::Accent]);
    const auto to_end = [](ImGuiInputTextCallbackData* data) {
      // A field with a new text starts with all of it selected.
      if (data->SelectionStart == 0 && data->SelectionEnd == data->BufTextLen && data->BufTextLen > 0 &&
          *static_cast<bool*>(data->UserData)) {
        data->ClearSelection();
        data->CursorPos = data->BufTextLen;
        *static_cast<bool*>(data->UserData) = false;
      }
      return 0;
    };
    static int placed = -1;
    static bool fresh = false;
    if (placed != field) {
      placed = field;
      fresh = !(first && dialog.question.save);  // a proposed name stays selected: typing replaces it
    }
    ImGui::InputTextWithHint(("##files.field" + std::to_string(field)).c_str(),
                             dialog.question.save ? tr("file name, or a path") : tr("part of a name, or a path"),
                             &typed, ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_NoUndoRedo, to_end,
                             &fresh);
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
  }
  note_control(c, "files.field");
  if (typed != dialog.typed) {
    const std::string before = typed;
    dialog.type(typed);
    if (dialog.typed != before) dialog.field_changed = true;
  }
  if (const std::ptrdiff_t steps = std::exchange(dialog.steps, 0); steps != 0) {
    const auto at = dialog.selected ? static_cast<std::ptrdiff_t>(*dialog.selected) : steps > 0 ? -1 : 0;
    dialog.select(at + steps);
  }
  if (std::exchange(dialog.complete, false)) dialog.complete_typed();
  if (std::exchange(dialog.up, false)) dialog.go_to(dialog.folder.parent_path());
  if (std::exchange(dialog.enter, false)) dialog.confirm();
}

}  // namespace

void draw_file_dialog(const Canvas& c) {
  ShellState& state = c.state;
  if (state.overlays.open != Overlay::Files) return;
  FileDialog& dialog = state.files.own;
  const float s = c.scale;
  if (dialog.update()) state.in_motion = true;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(kFileWidth * s, display.x - 24 * s);
  const float height = std::min(kHeight * s, display.y - 24 * s);
  const Rect box{std::round((display.x - width) / 2), std::round((display.y - height) / 2), width, height};
  state.places["files"] = box;
  const bool outside = begin_sheet(c, "##files", box);
  const float pad = kFilePad * s;
  const float left = std::min(kFileLeft * s, width * 0.3f);
  const float bottom = 86 * s;
  ImGui::SetCursorScreenPos({box.x + pad, box.y + 16 * s});
  text(c, FontRole::Title, Colour::Text, dialog.question.title);
  ImGui::SetCursorScreenPos({box.x + pad, box.y + 54 * s});
  draw_left(c, left, height - 54 * s - bottom);
  const float x = box.x + pad + left + 20 * s;
  const float room = box.x + width - pad - x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({x - 10 * s, box.y + 54 * s}, {x - 10 * s, box.y + height - bottom}, c.theme[Colour::Line]);
  // The folder, and the way up.
  const float up = text_width(c.fonts, FontRole::Body, tr("Up")) + 24 * s;
  ImGui::SetCursorScreenPos({x + room - up, box.y + 50 * s});
  if (button(c, "files.up", tr("Up"), false, up, "Alt+↑")) dialog.go_to(dialog.folder.parent_path());
  const Label folder{x + 10 * s,
                     box.y + 50 * s,
                     room - up - 24 * s,
                     c.theme[Colour::Text],
                     FontRole::Mono,
                     fit_end(c, FontRole::Mono, short_path(dialog.folder), room - up - 24 * s),
                     26 * s};
  draw_labels(list, c.fonts, {&folder, 1});
  draw_list(c, {x, box.y + 82 * s, room, height - 82 * s - bottom});
  list.AddLine({box.x, box.y + height - bottom}, {box.x + width, box.y + height - bottom}, c.theme[Colour::Line]);
  const float buttons = 230 * s;
  ImGui::SetCursorScreenPos({box.x + pad, box.y + height - bottom + 14 * s});
  draw_file_field(c, width - 2 * pad - buttons - 12 * s);
  const char* deed = !dialog.replaces.empty() ? tr("Replace") : dialog.question.save ? tr("Save") : tr("Open");
  ImGui::SetCursorScreenPos({box.x + width - pad - buttons, box.y + height - bottom + 14 * s});
  if (button(c, "files.confirm", deed, true, 110 * s, "Enter")) dialog.confirm();
  ImGui::SetCursorScreenPos({box.x + width - pad - 110 * s, box.y + height - bottom + 14 * s});
  const bool cancelled = button(c, "files.cancel", tr("Cancel"), false, 110 * s, "Esc");
  const bool bad = !dialog.problem.empty();
  const Label hint{box.x + pad,
                   box.y + height - 40 * s,
                   width - 2 * pad,
                   c.theme.as_text(bad ? Colour::Wait : Colour::Dim),
                   bad ? FontRole::BodyBold : FontRole::Small,
                   bad ? dialog.problem
                   : dialog.question.save
                       ? tr("↑ ↓ choose   Enter save   Tab complete   Alt+↑ folder above   Esc close")
                       : tr("↑ ↓ choose   Enter open   Tab complete   Alt+↑ folder above   Esc close"),
                   28 * s};
  draw_labels(list, c.fonts, {&hint, 1});
  ImGui::End();
  if (cancelled || (outside && !dialog.chosen)) close_overlay(state);
}

bool file_dialog_key(ShellState& state, KeyChord chord) {
  if (state.overlays.open != Overlay::Files) return false;
  FileDialog& dialog = state.files.own;
  if (chord == KeyChord{key::Up, modifier::Alt}) {
    dialog.up = true;
    return true;
  }
  if (chord.modifiers != 0) return false;
  switch (chord.key) {
    case key::Down:
      ++dialog.steps;
      return true;
    case key::Up:
      --dialog.steps;
      return true;
    case key::PageDown:
      dialog.steps += kPage;
      return true;
    case key::PageUp:
      dialog.steps -= kPage;
      return true;
    case key::Tab:
      dialog.complete = true;
      return true;
    case key::Enter:
    case key::KeypadEnter:
      dialog.enter = true;
      return true;
    case key::Escape:
      close_overlay(state);
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::ui
