// The dialog that starts a program of the user's and attaches to it.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include "attach/program_state.h"
#include "base/translate.h"
#include "render/labels.h"
#include "shell/attach_dialog.h"
#include "shell/keys.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kWidth = 760, kPad = 20, kAttachRow = 28, kLines = 3;
constexpr int kFields = 3;
constexpr std::array<const char*, 4> kLevels{"waits", "acquire", "calls", "all"};

void name_of_field(const Canvas& c, const char* name, const char* hint) {
  text(c, FontRole::BodyBold, Colour::Text, name);
  ImGui::SameLine(0, 10 * c.scale);
  text(c, FontRole::Small, Colour::Muted, hint);
}

// `draw` draws the field; it gets the keyboard when it is its turn.
template <class Draw>
void field(const Canvas& c, int number, const char* control, const Draw& draw) {
  AttachDialog& dialog = c.state.overlays.attach;
  const TextStyle style(c, FontRole::Mono, Colour::Text);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, c.theme[Colour::PanelRaised]);
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1.0f);
  ImGui::PushStyleColor(ImGuiCol_Border, c.theme[dialog.field == number ? Colour::Accent : Colour::Line]);
  draw();
  if (dialog.focus && dialog.field == number) {
    if (ImGui::GetActiveID() != 0) ImGui::ClearActiveID();  // the field that is left takes nothing any more
    focus_field(c, -1);  // Dear ImGui 1.90 does not find the next one in a child window
    dialog.focus = false;
  }
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar();
  if (!dialog.focus && ImGui::IsItemActive()) dialog.field = number;
  note_control(c, control);
}

void draw_fields(const Canvas& c, float x, float width) {
  AttachDialog& dialog = c.state.overlays.attach;
  const float s = c.scale;
  const std::string nth = std::to_string(dialog.fields);
  const auto line = [&](float space) {
    vertical_space(c, space);
    ImGui::SetCursorPosX(x);
  };
  name_of_field(c, tr("Command"), tr("words as in a shell, but no shell is run"));
  line(2);
  field(c, 0, "attach.command", [&] {
    ImGui::SetNextItemWidth(width);
    ImGui::InputTextWithHint(("##command" + nth).c_str(), "python train.py --epochs 3", &dialog.typed.command);
  });
  line(10);
  name_of_field(c, tr("Folder"), tr("where the program runs"));
  line(2);
  field(c, 1, "attach.folder", [&] {
    std::error_code ignored;
    ImGui::SetNextItemWidth(width);
    ImGui::InputTextWithHint(("##folder" + nth).c_str(), short_path(std::filesystem::current_path(ignored)).c_str(),
                             &dialog.typed.folder);
  });
  line(10);
  name_of_field(c, tr("Environment"), tr("NAME=VALUE, one per line, in addition to that of this program"));
  line(2);
  field(c, 2, "attach.environment", [&] {
    const float height = kLines * c.fonts.size(FontRole::Mono) + 3 * ImGui::GetStyle().FramePadding.y + 6 * s;
    ImGui::InputTextMultiline(("##environment" + nth).c_str(), &dialog.typed.environment, {width, height});
  });
  line(10);
  name_of_field(c, tr("Recorded"), tr("can be changed while the program runs"));
  line(2);
  int level = 1;
  std::vector<std::string> names(kLevels.begin(), kLevels.end());
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (dialog.typed.level == kLevels[i]) level = static_cast<int>(i);
  }
  const int chosen = segmented(c, "attach.dialog.level", names, level, width);
  if (chosen >= 0) dialog.typed.level = kLevels[static_cast<std::size_t>(chosen)];
  line(4);
  ImGui::PushTextWrapPos(x + width);
  text(c, FontRole::Small, Colour::Muted,
       wrapped_lines(c, FontRole::Small, level_text(attach::parse_level(dialog.typed.level)), width));
  note_place(c, "attach.level.text");
  ImGui::PopTextWrapPos();
}

// The programs that were attached to before. A click fills the fields in.
void draw_known(const Canvas& c, float x, float width) {
  const std::vector<AttachedProgram>& known = c.state.preferences.attached;
  if (known.empty()) return;
  const float s = c.scale;
  vertical_space(c, 8);
  ImGui::SetCursorPosX(x);
  text(c, FontRole::SmallBold, Colour::Dim, tr("THE LAST ONES"));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  std::optional<AttachedProgram> wanted;
  for (std::size_t i = 0; i < known.size(); ++i) {
    ImGui::SetCursorPosX(x);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string id = "attach.known." + std::to_string(i);
    if (press_area(c, id.c_str(), {width, kAttachRow * s})) wanted = known[i];
    note_control(c, id);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      list.AddRectFilled(at, {at.x + width, at.y + kAttachRow * s}, c.theme[Colour::PanelHovered], 5 * s);
    }
    const std::string folder = known[i].folder.empty() ? std::string() : short_path(known[i].folder);
    const float right = folder.empty() ? 0 : std::min(width * 0.4f, text_width(c.fonts, FontRole::Small, folder) + 4);
    const float left = width - right - 28 * s;
    const Label labels[] = {{at.x + 8 * s, at.y, left, c.theme[Colour::Text], FontRole::Mono,
                             fit_text(c.fonts, FontRole::Mono, known[i].command, left), kAttachRow * s},
                            {at.x + width - right - 8 * s, at.y, right, c.theme.as_text(Colour::Muted), FontRole::Small,
                             fit_text(c.fonts, FontRole::Small, folder, right), kAttachRow * s, LabelAlign::Right}};
    draw_labels(list, c.fonts, labels);
  }
  ImGui::PopStyleVar();
  if (wanted) fill_in(c.state.overlays.attach, *wanted);
}

}  // namespace

void draw_attach_dialog(const Canvas& c) {
  ShellState& state = c.state;
  if (state.overlays.open != Overlay::Attach) return;
  AttachDialog& dialog = state.overlays.attach;
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float pad = kPad * s;
  const float width = std::min(kWidth * s, display.x - 32 * s);
  const float inner = width - 2 * pad;
  const auto known = static_cast<float>(state.preferences.attached.size());
  const std::string problem = dialog.problem.empty() ? "" : wrapped_lines(c, FontRole::BodyBold, dialog.problem, inner);
  const auto problem_lines =
      dialog.problem.empty() ? 0.0f : static_cast<float>(1 + std::count(problem.begin(), problem.end(), '\n'));
  const float problem_height = problem_lines * (c.fonts.size(FontRole::BodyBold) + 3 * s);
  const float field_height = ImGui::GetStyle().FramePadding.y * 2 + c.fonts.size(FontRole::Mono);
  const float fixed = 62 * s + 4 * 40 * s + 2 * field_height + (kLines + 1) * c.fonts.size(FontRole::Mono) + 92 * s +
                      problem_height + 60 * s;
  const float wanted = fixed + (known > 0 ? 34 * s + known * kAttachRow * s : 0);
  const float height = std::min(wanted, display.y - 24 * s);
  const Rect box{(display.x - width) / 2, std::max(12 * s, (display.y - height) / 3), width, height};
  state.places["attach.dialog"] = box;
  const bool outside = begin_sheet(c, "##attach", box);
  const float foot = 58 * s + problem_height;
  ImGui::SetCursorScreenPos({box.x + pad, box.y + 16 * s});
  text(c, FontRole::Title, Colour::Text, tr("Attach to a program of your own"));
  ImGui::SetCursorScreenPos({box.x + pad, box.y + 50 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("##attach.inner", {inner, height - 50 * s - foot}, false, ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();
  draw_fields(c, 0, inner - 2 * s);
  draw_known(c, 0, inner - 2 * s);
  ImGui::EndChild();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = box.y + height - foot;
  list.AddLine({box.x, line}, {box.x + width, line}, c.theme[Colour::Line]);
  if (!dialog.problem.empty()) {
    ImGui::SetCursorScreenPos({box.x + pad, line + 8 * s});
    text(c, FontRole::BodyBold, Colour::Wait, problem);
    note_place(c, "attach.problem");
  }
  const float buttons = 230 * s, y = line + problem_height + 14 * s;
  ImGui::SetCursorScreenPos({box.x + width - pad - buttons, y});
  const bool pressed = button(c, "attach.start", tr("Start"), true, 110 * s, "Enter");
  ImGui::SetCursorScreenPos({box.x + width - pad - 110 * s, y});
  const bool cancelled = button(c, "attach.cancel", tr("Cancel"), false, 110 * s, "Esc");
  const Label hint{box.x + pad,
                   y,
                   inner - buttons - 12 * s,
                   c.theme.as_text(Colour::Dim),
                   FontRole::Small,
                   tr("Enter start   Tab next field   Esc close"),
                   28 * s};
  draw_labels(list, c.fonts, {&hint, 1});
  ImGui::End();
  if (std::exchange(dialog.enter, false) || pressed) attach_as_typed(state);
  if (cancelled || outside) close_overlay(state);
}

bool attach_dialog_key(ShellState& state, KeyChord chord) {
  if (state.overlays.open != Overlay::Attach) return false;
  AttachDialog& dialog = state.overlays.attach;
  const auto step = [&](int by) {
    dialog.field = (dialog.field + by + kFields) % kFields;
    dialog.focus = true;
  };
  const bool enter = chord.key == key::Enter || chord.key == key::KeypadEnter;
  // Among the variables, Enter begins another line.
  if (enter && (chord.modifiers == modifier::Control || (chord.modifiers == 0 && dialog.field != kFields - 1))) {
    dialog.enter = true;
    return true;
  }
  if (chord.key == key::Tab && (chord.modifiers == 0 || chord.modifiers == modifier::Shift)) {
    step(chord.modifiers == 0 ? 1 : -1);
    return true;
  }
  if (chord == KeyChord{key::Escape, 0}) {
    close_overlay(state);
    return true;
  }
  return false;
}

}  // namespace lanescope::ui
