#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "ui/labels.h"
#include "ui/panels/panels.h"
#include "ui/widgets.h"

namespace lanescope::ui {

using analysis::Summary;
using base::tr;

void draw_range_details(const Canvas& c) {
  const auto& figures = c.state.range_figures;
  const auto [from, to] = *c.state.selection.range;
  heading(c, tr("SELECTED STRETCH"));
  text(c, FontRole::Title, Colour::Text, base::format_duration(to - from));
  vertical_space(c, 4);
  if (!figures.summary || figures.range != *c.state.selection.range) {
    text(c, FontRole::Body, Colour::Muted, tr("working it out …"));
    return;
  }
  const Summary& s = *figures.summary;
  text(c, FontRole::BodyBold, verdict_colour(s.verdict.kind), std::string(analysis::verdict_title(s.verdict.kind)));
  wrapped_text(c, FontRole::Body, Colour::Muted, s.verdict.sentence);
  vertical_space(c, 6);
  draw_share_bar(c, s);
  for (const auto& [name, value] : figure_lines(s)) figure_line(c, name, value);
  figure_line(c, tr("bubbles"), base::format_count(s.bubble_count));
  figure_line(c, tr("kernel launches"), base::format_count(s.launch_count));
  figure_line(c, tr("H2D · D2H bytes"), base::format_bytes(s.h2d_bytes) + " · " + base::format_bytes(s.d2h_bytes));
}

}  // namespace lanescope::ui
