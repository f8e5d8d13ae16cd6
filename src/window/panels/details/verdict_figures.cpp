#include <fmt/format.h>
#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/details/details_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using analysis::VerdictFigure;

constexpr std::size_t kColumns = 3;

void draw_verdict_tooltip(const Canvas& c, const analysis::Verdict& verdict) {
  ImGui::BeginTooltip();
  for (const VerdictFigure& figure : verdict.figures) {
    text(c, FontRole::Small, Colour::Muted, figure.label);
    ImGui::SameLine(150 * c.scale);
    text(c, FontRole::MonoSmall, Colour::Text,
         figure.is_share ? fmt::format("{:.1f} %", figure.value)
                         : fmt::format("{} {}", value_text(figure), figure.unit));
  }
  if (!verdict.note.empty()) text(c, FontRole::Small, Colour::Muted, verdict.note);
  ImGui::EndTooltip();
}

}  // namespace

// Three columns of fixed width, so that changing digits move nothing. They keep their place while there is nothing to
// show yet.
void draw_verdict_figures(const Canvas& c, const analysis::Verdict& verdict, bool measuring) {
  if (verdict.figures.empty() && !measuring) return;
  const float s = c.scale;
  const float gap = 12 * s, number_height = 30 * s, line_height = 15 * s;
  const float width = ImGui::GetContentRegionAvail().x;
  const float column = (width - gap * (kColumns - 1)) / kColumns;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width, number_height + 2 * line_height});
  note_place(c, "verdict.figures");
  if (!verdict.figures.empty() && ImGui::IsItemHovered()) draw_verdict_tooltip(c, verdict);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::vector<Label> labels;
  const auto write = [&](float x, float y, float room, float height, FontRole role, Colour colour,
                         const std::string& says) {
    labels.push_back({x, y, room, c.theme.as_text(colour), role, fit_text(c.fonts, role, says, room), height});
  };
  for (std::size_t i = 0; i < kColumns; ++i) {
    const float x = at.x + static_cast<float>(i) * (column + gap);
    if (i > 0)
      list.AddLine({x - gap / 2, at.y + 4 * s}, {x - gap / 2, at.y + number_height + 2 * line_height - 2 * s},
                   c.theme[Colour::Line], s);
    if (i >= verdict.figures.size()) {
      write(x, at.y, column, number_height, FontRole::Verdict, Colour::Dim, "–");
      continue;
    }
    const VerdictFigure& figure = verdict.figures[i];
    const Colour colour = i == 1 ? verdict_colour(verdict.kind) : Colour::Text;
    std::string number = value_text(figure);
    if (figure.is_share) number.resize(number.size() - 2);
    // A number never stands without its unit: a long one is written smaller.
    const float unit_width = figure.measure.empty() ? 0 : text_width(c.fonts, FontRole::Body, figure.measure) + 4 * s;
    const auto number_width = [&](FontRole role) { return text_width(c.fonts, role, number); };
    const FontRole role = number_width(FontRole::Verdict) + unit_width <= column ? FontRole::Verdict : FontRole::Title;
    write(x, at.y, column, number_height, role, colour, number);
    const float after = number_width(role) + 4 * s;
    labels.push_back({x + after, at.y + 2 * s, std::max(unit_width, column - after), c.theme.as_text(Colour::Muted),
                      FontRole::Body, figure.measure, number_height});
    write(x, at.y + number_height, column, line_height, FontRole::Small, Colour::Text, figure.label);
    write(x, at.y + number_height + line_height, column, line_height, FontRole::Small, Colour::Muted, figure.per);
  }
  draw_labels(list, c.fonts, labels);
}

}  // namespace lanescope::ui
