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
using base::tr;

constexpr std::size_t kColumns = 3;

// "MB per iteration": MB beside the number, and under the label of what it is a part or how often.
struct Unit {
  std::string beside, under;
};
Unit unit_of(const VerdictFigure& figure) {
  if (figure.is_share) return {"%", tr("of the time")};
  for (const char* base : {tr("per iteration"), tr("in all")}) {
    if (!figure.unit.ends_with(base)) continue;
    std::string beside = figure.unit.substr(0, figure.unit.size() - std::string_view(base).size());
    if (beside.ends_with(' ')) beside.pop_back();
    return {beside, base};
  }
  return {{}, figure.unit};
}

void draw_tooltip(const Canvas& c, const analysis::Verdict& verdict) {
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

// Three columns of a fixed width, so that changing digits move nothing. They keep their place while there is nothing to
// say yet.
void draw_verdict_figures(const Canvas& c, const analysis::Verdict& verdict, bool measuring) {
  if (verdict.figures.empty() && !measuring) return;
  const float s = c.scale;
  const float gap = 12 * s, number_height = 30 * s, line_height = 15 * s;
  const float width = ImGui::GetContentRegionAvail().x;
  const float column = (width - gap * (kColumns - 1)) / kColumns;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width, number_height + 2 * line_height});
  note_place(c, "verdict.figures");
  if (!verdict.figures.empty() && ImGui::IsItemHovered()) draw_tooltip(c, verdict);
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
    const Unit unit = unit_of(figure);
    write(x, at.y, column, number_height, FontRole::Verdict, colour, number);
    const float after = text_width(c.fonts, FontRole::Verdict, number) + 4 * s;
    if (!unit.beside.empty() && after < column) {
      labels.push_back({x + after, at.y + 2 * s, column - after, c.theme.as_text(Colour::Muted), FontRole::Body,
                        unit.beside, number_height});
    }
    write(x, at.y + number_height, column, line_height, FontRole::Small, Colour::Text, figure.label);
    write(x, at.y + number_height + line_height, column, line_height, FontRole::Small, Colour::Muted, unit.under);
  }
  draw_labels(list, c.fonts, labels);
}

}  // namespace lanescope::ui
