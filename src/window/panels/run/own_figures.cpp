// The workload's own figures and, if the parts of an iteration are known, a bar of them for each side.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/translate.h"
#include "inspect/figure_text.h"
#include "model/experiment/active_experiment.h"
#include "picture/words.h"
#include "render/labels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

using experiment::Side;
using Figures = std::vector<workload::Figure>;

// In the order of the parts; the timeline's colours of making, copying, launching and waiting.
constexpr std::array kPartColours{Colour::Range, Colour::CopyH2D, Colour::Launch, Colour::Wait};

double parts_together(const Figures& figures) {
  return std::accumulate(figures.begin(), figures.end(), 0.0,
                         [](double sum, const workload::Figure& f) { return f.part ? sum + f.mean : sum; });
}

// A part has a colour, and the number that it has in the list below the bars.
void draw_part(const Canvas& c, std::size_t part, const Rect& r) {
  const Colour colour = kPartColours[part % kPartColours.size()];
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({r.x, r.y}, {r.x + r.width, r.y + r.height}, c.theme[colour]);
  if (r.width < 10 * c.scale) return;
  const Label number{r.x,
                     r.y,
                     r.width,
                     c.theme.ink_on(colour),
                     FontRole::SmallBold,
                     std::to_string(part + 1),
                     r.height,
                     LabelAlign::Centre};
  draw_labels(list, c.fonts, {&number, 1});
}

// One bar; a sum of `full` would fill the panel's width next to its name and its sum.
void draw_bar(const Canvas& c, const std::string& name, const Figures& figures, double full) {
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float name_width = name.empty() ? 0 : 48 * s;
  const float sum_width = 66 * s;
  const float height = 16 * s;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float x = at.x + name_width;
  const float scale = (width - name_width - sum_width) / static_cast<float>(full);
  std::size_t part = 0;
  std::string unit;
  for (const workload::Figure& f : figures) {
    if (!f.part) continue;
    const float right = x + static_cast<float>(f.mean) * scale;
    draw_part(c, part++, {x, at.y, right - x, height});
    x = right;
    unit = f.unit;
  }
  const Label labels[] = {{at.x, at.y, name_width, c.theme.as_text(Colour::Muted), FontRole::Small, name, height},
                          {at.x, at.y, width, c.theme[Colour::Text], FontRole::MonoSmall,
                           figure_text(parts_together(figures)) + " " + unit, height, LabelAlign::Right}};
  draw_labels(list, c.fonts, labels);
  ImGui::Dummy({width, height});
  note_place(c, "cost." + name);
}

void draw_own_bars(const Canvas& c, const Figures& now) {
  const auto& active = c.state.experiment.active;
  const std::optional<Side> side =
      active ? active->side_of(c.state.model.steering()->settings()) : std::optional<Side>();
  if (!side) {
    if (parts_together(now) > 0) draw_bar(c, "", now, parts_together(now));
    return;
  }
  std::array<Figures, 2> sides;
  double full = 0;
  for (const Side s : {Side::Before, Side::After}) {
    const experiment::Measured* kept = active->measured(s);
    Figures& figures = sides[static_cast<std::size_t>(s)];
    if (s == side && parts_together(now) > 0) {
      figures = now;
    } else if (kept) {
      figures = kept->figures;
    }
    full = std::max(full, parts_together(figures));
  }
  for (const Side s : {Side::Before, Side::After}) {
    const Figures& figures = sides[static_cast<std::size_t>(s)];
    if (parts_together(figures) == 0) continue;
    draw_bar(c, word(s == Side::Before ? Word::Before : Word::After, c.state.language()), figures, full);
  }
  vertical_space(c, 6);
}

}  // namespace

void draw_own_figures(const Canvas& c) {
  const Figures figures = c.state.model.steering()->figures();
  if (figures.empty()) return;
  heading(c, word(Word::OwnFigures, c.state.language()).c_str());
  draw_own_bars(c, figures);
  std::size_t part = 0;
  for (const workload::Figure& f : figures) {
    const float swatch = f.part ? 20 * c.scale : 0;
    if (f.part) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float side = 14 * c.scale;
      const float y = at.y + (c.fonts.size(FontRole::Body) - side) / 2;
      draw_part(c, part++, {at.x, y, side, side});
      ImGui::SetCursorPosX(ImGui::GetCursorPosX() + swatch);
    }
    figure_line(c, tr(f.label), f.count == 0 ? "–" : figure_text(f.mean) + (f.unit.empty() ? "" : " " + f.unit));
    note_place(c, "own." + f.key);
    const ImVec2 low{ImGui::GetWindowPos().x, ImGui::GetItemRectMin().y};
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, ImGui::GetItemRectMax())) {
      ImGui::SetTooltip("%s", tr(f.label));
    }
  }
}

}  // namespace lanescope::ui
