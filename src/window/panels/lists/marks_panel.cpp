#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "inspect/destination.h"
#include "render/labels.h"
#include "shell/mark_actions.h"
#include "shell/selecting.h"
#include "window/panels/lists/lists_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kMarkRow = 26;

struct MarkLine {
  std::uint32_t id = 0;
  Nanoseconds at = 0;
  Colour colour = Colour::Accent;
  const char* kind = "";
  std::string says, lane;
};

// The lane's name within its key: "CUDA calls".
std::string lane_name(const std::string& key) {
  const std::size_t begin = key.find('|');
  if (begin == std::string::npos) return {};
  return key.substr(begin + 1, key.find('|', begin + 1) - begin - 1);
}

std::vector<MarkLine> mark_lines_of(const Marks& marks) {
  std::vector<MarkLine> lines;
  std::size_t number = 0;
  for (const Bookmark& b : marks.bookmarks) {
    if (!b.is_note()) ++number;
    lines.push_back({b.id, b.at, Colour::Simulated, b.is_note() ? tr("note") : tr("bookmark"),
                     b.is_note() ? b.text : std::to_string(number), lane_name(b.lane)});
  }
  for (const Measure& m : marks.rulers) {
    lines.push_back({m.id, m.from, Colour::Accent, tr("ruler"), measure_text(m.to - m.from), lane_name(m.lane)});
  }
  std::stable_sort(lines.begin(), lines.end(), [](const MarkLine& a, const MarkLine& b) { return a.at < b.at; });
  return lines;
}

void go(ShellState& state, std::uint32_t id) {
  if (const Measure* ruler = state.marks.ruler(id)) {
    const auto [from, to] = std::pair(ruler->from, ruler->to);
    select_range(state, from, to);
    state.view.show(from, to);
  } else {
    go_to_bookmark(state, id);
  }
}

// A row: where, what, on which lane; a click goes there, the cross removes it.
void draw_line(const Canvas& c, const MarkLine& line, float width) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(static_cast<int>(line.id));
  ImGui::SetCursorScreenPos({at.x + width - 30 * s, at.y});
  const bool removed = press_area(c, "##remove", {26 * s, kMarkRow * s});
  const bool over_cross = ImGui::IsItemHovered();
  note_control(c, "mark.remove." + std::to_string(line.id));
  ImGui::SetCursorScreenPos(at);
  const bool clicked = press_area(c, "##go", {width - 34 * s, kMarkRow * s});
  const bool over = ImGui::IsItemHovered();
  note_control(c, "mark." + std::to_string(line.id));
  ImGui::PopID();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (over || state.marks.shown == line.id) {
    list.AddRectFilled(at, {at.x + width - 34 * s, at.y + (kMarkRow - 2) * s},
                       c.theme[over ? Colour::PanelHovered : Colour::Row], 4 * s);
  }
  list.AddRectFilled({at.x + 8 * s, at.y + 7 * s}, {at.x + 16 * s, at.y + 17 * s}, c.theme[line.colour], 2 * s);
  const float height = (kMarkRow - 2) * s;
  const float text_left = at.x + 236 * s;
  const float lane_width = std::min(150 * s, width * 0.25f);
  const std::string when = time_in_full(line.at - state.model.extent().first);
  const Label labels[] = {
      {at.x + 26 * s, at.y, 80 * s, c.theme[Colour::Muted], FontRole::Small, line.kind, height},
      {at.x + 104 * s, at.y, 116 * s, c.theme[Colour::Text], FontRole::MonoSmall, when, height, LabelAlign::Right},
      {text_left, at.y, std::max(20.0f, width - 244 * s - lane_width - 34 * s), c.theme[Colour::Text], FontRole::Body,
       line.says, height},
      {at.x + width - lane_width - 40 * s, at.y, lane_width, c.theme[Colour::Muted], FontRole::Small, line.lane, height,
       LabelAlign::Right},
      {at.x + width - 30 * s, at.y, 26 * s, c.theme[over_cross ? Colour::Text : Colour::Dim], FontRole::BodyBold, "×",
       height, LabelAlign::Centre}};
  draw_labels(list, c.fonts, labels);
  if (clicked) go(state, line.id);
  if (removed) state.marks.remove(line.id);
}

}  // namespace

void draw_marks_list(const Canvas& c) {
  const float s = c.scale;
  const std::vector<MarkLine> lines = mark_lines_of(c.state.marks);
  ImGui::SetCursorPos({16 * s, ImGui::GetCursorPosY() + 4 * s});
  if (lines.empty()) {
    wrapped_text(c, FontRole::Body, Colour::Muted,
                 tr("Nothing yet. {} places a ruler; a bookmark and a note are in the palette ({}): at the selection, "
                    "or where the "
                    "mouse points. They are saved with the trace.",
                    key_text(info(Action::AddRuler).keys.front()), key_text(info(Action::Palette).keys.front())));
    return;
  }
  ImGui::BeginChild("##marks", {ImGui::GetContentRegionAvail().x - 8 * s, 0});
  const float width = ImGui::GetContentRegionAvail().x;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(lines.size()), kMarkRow * s);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_line(c, lines[static_cast<std::size_t>(i)], width);
  }
  clipper.End();
  ImGui::EndChild();
}

}  // namespace lanescope::ui
