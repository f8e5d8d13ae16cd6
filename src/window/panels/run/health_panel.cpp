#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "base/platform/system.h"
#include "base/translate.h"
#include "model/source/memory_cap.h"
#include "picture/words.h"
#include "render/labels.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

Colour tone_colour(HealthLine::Tone tone) {
  switch (tone) {
    case HealthLine::Tone::Muted:
      return Colour::Dim;
    case HealthLine::Tone::Loss:
      return Colour::Wait;
    case HealthLine::Tone::Doubt:
      return Colour::Simulated;
    case HealthLine::Tone::Good:
      return Colour::Good;
    default:
      return Colour::Text;
  }
}

void draw_health_line(const Canvas& c, const HealthLine& line, float width) {
  const float start = ImGui::GetCursorPosX();
  const Colour colour = tone_colour(line.tone);
  const float value_width = text_width(c.fonts, FontRole::Mono, line.value);
  const float name_width = text_width(c.fonts, FontRole::Body, line.name);
  text(c, FontRole::Body, line.tone == HealthLine::Tone::Muted ? Colour::Dim : Colour::Muted, line.name);
  if (name_width + value_width + 12 * c.scale > width) {  // a sentence: on its own lines
    ImGui::PushTextWrapPos(start + width);
    const TextStyle style(c, FontRole::Body, colour);
    ImGui::TextUnformatted(line.value.c_str());
    ImGui::PopTextWrapPos();
    return;
  }
  ImGui::SameLine();
  ImGui::SetCursorPosX(start + width - value_width);
  const bool stands_out = line.tone == HealthLine::Tone::Loss || line.tone == HealthLine::Tone::Doubt;
  if (stands_out) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled(
        {at.x - 6 * c.scale, at.y - c.scale},
        {at.x + value_width + 6 * c.scale, at.y + c.fonts.size(FontRole::Mono) + c.scale},
        with_alpha(c.theme[colour], 0.18f), 4 * c.scale);
  }
  text(c, FontRole::Mono, colour, line.value);
}

void draw_group(const Canvas& c, const HealthGroup& group, float width) {
  heading(c, group.title.c_str());
  {
    const float start = ImGui::GetCursorPosX();
    ImGui::PushTextWrapPos(start + width);
    const TextStyle style(c, FontRole::Small, Colour::Muted);
    ImGui::TextUnformatted(group.sentence.c_str());
    ImGui::PopTextWrapPos();
  }
  vertical_space(c, 4);
  for (const HealthLine& line : group.lines) draw_health_line(c, line, width);
}

// What the trace may take up, now and in later runs.
void draw_memory_cap(const Canvas& c, float width) {
  ShellState& state = c.state;
  static const std::size_t machine = base::machine_memory_bytes();  // reads files
  const std::vector<double> choices = memory_choices_gb(machine);
  const std::size_t cap = state.model.capture().memory_cap_bytes;
  std::vector<std::string> texts{tr("auto")};
  int chosen = cap == automatic_memory_cap(machine) ? 0 : -1;
  for (const double gb : choices) {
    if (cap == memory_cap_of(gb, machine)) chosen = static_cast<int>(texts.size());
    texts.push_back(fmt::format("{:g} GB", gb));
  }
  vertical_space(c, 8);
  text(c, FontRole::Body, Colour::Muted, tr("memory for events"));
  vertical_space(c, 4);
  const int clicked = segmented(c, "health.memory", texts, chosen, width);
  if (clicked < 0) return;
  state.preferences.memory_gb = clicked == 0 ? kAutomaticMemory : choices[static_cast<std::size_t>(clicked - 1)];
  state.model.set_memory_cap(memory_cap_of(state.preferences.memory_gb, machine));
}

}  // namespace

void draw_health(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const auto groups = health_groups(state.model.capture());
  const float width = std::min(340 * s, display.x - 60 * s);
  const float gap = 36 * s;
  const auto fit = static_cast<std::size_t>(std::max(1.0f, (display.x - 80 * s) / (width + gap)));
  const std::size_t columns = std::min({fit, std::size_t{3}, (groups.size() + 1) / 2});
  // Columns of about the same height, counted in lines; a heading and its sentence count as four.
  const auto lines_of = [](const HealthGroup& group) { return group.lines.size() + 4; };
  std::size_t all_lines = 0;
  for (const HealthGroup& group : groups) all_lines += lines_of(group);
  begin_overlay(c, "##health");
  text(c, FontRole::Title, Colour::Text, tr("Capture health"));
  note_place(c, "health");
  text(c, FontRole::Body, Colour::Muted, badge_text(state.model.facts(), state.model.live()));
  std::size_t column = 0;
  std::size_t lines = 0;
  ImGui::BeginGroup();
  for (const HealthGroup& group : groups) {
    if ((lines + lines_of(group) / 2) * columns >= all_lines * (column + 1)) {
      ++column;
      ImGui::EndGroup();
      ImGui::SameLine(0, gap);
      ImGui::BeginGroup();
    }
    lines += lines_of(group);
    draw_group(c, group, width);
    if (&group == &groups.back() && state.model.live()) draw_memory_cap(c, width);
    ImGui::Dummy({width, 0});
  }
  ImGui::EndGroup();
  vertical_space(c, 12);
  if (button(c, "close_health", std::string(tr("Close")) + " (Esc)")) close_overlay(state);
  end_overlay();
}

}  // namespace lanescope::ui
