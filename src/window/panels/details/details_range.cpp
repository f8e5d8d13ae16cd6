#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "render/labels.h"
#include "timeline/colouring.h"
#include "window/panels/details/details_panels.h"
#include "window/panels/lists/event_table.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using analysis::Summary;
using base::tr;

// Count, sum, mean and percentiles of all events in the range, on the selected lanes.
void draw_durations(const Canvas& c) {
  const ShellState& state = c.state;
  const RangeFigures& figures = state.range_figures;
  const analysis::EventGroups& s = figures.job.answer->events;
  heading(c, tr("DURATIONS"));
  const std::size_t lanes = figures.job.of.lanes.size();
  const std::string of = lanes == 0   ? std::string(tr("all lanes"))
                         : lanes == 1 ? state.model.trace().lane(figures.job.of.lanes.front()).info().name
                                      : tr("{} lanes", lanes);
  text(c, FontRole::Small, Colour::Muted, tr("{} events on {}", base::format_count(s.all.count), of));
  if (s.bins.instants > 0) {
    text(c, FontRole::Small, Colour::Muted, tr("{} instants are not included", base::format_count(s.bins.instants)));
  }
  if (s.all.count == 0) return;
  vertical_space(c, 4);
  draw_range_histogram(c);
  const std::string about = s.exact ? "" : "≈ ";
  figure_line(c, tr("sum of durations"), base::format_duration(s.sum_ns));
  figure_line(c, tr("mean"), base::format_duration(static_cast<Nanoseconds>(std::llround(s.all.mean_ns))));
  figure_line(c, tr("p50"), about + base::format_duration(s.all.p50_ns));
  figure_line(c, tr("p99"), about + base::format_duration(s.all.p99_ns));
  figure_line(c, tr("shortest"), base::format_duration(s.all.min_ns));
  figure_line(c, tr("longest"), base::format_duration(s.all.max_ns));
  vertical_space(c, 6);
  draw_range_names(c, 8);
}

}  // namespace

void draw_range_details(const Canvas& c) {
  const auto& figures = c.state.range_figures;
  const auto [from, to] = *c.state.selection.range;
  heading(c, tr("SELECTED RANGE"));
  text(c, FontRole::Title, Colour::Text, base::format_duration(to - from));
  const bool current = figures.shows(*c.state.selection.range);
  const Nanoseconds origin = c.state.model.live() ? 0 : c.state.model.extent().first;
  text(c, FontRole::Small, Colour::Muted,
       current ? tr("starting at {} s", full_time(from - origin)) : tr("calculating …"));
  if (!figures.job.answer) return;
  vertical_space(c, 4);
  const Summary& s = figures.job.answer->summary;
  // While answers are hidden, a stretch tells no more than the lanes do.
  if (answers_hidden(c.state)) return draw_durations(c);
  text(c, FontRole::BodyBold, colour_of(s.verdict.kind), analysis::verdict_title(s.verdict));
  note_place(c, "range.verdict");
  wrapped_text(c, FontRole::Body, Colour::Muted, s.verdict.sentence);
  vertical_space(c, 6);
  draw_share_bar(c, s);
  draw_durations(c);
  heading(c, tr("FIGURES"));
  for (const auto& [name, values] : figure_lines(std::array{&s})) figure_line(c, name, values[0]);
  figure_line(c, tr("bubbles"), base::format_count(s.bubble_count));
}

}  // namespace lanescope::ui
