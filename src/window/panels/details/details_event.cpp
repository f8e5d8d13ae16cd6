#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "render/labels.h"
#include "shell/code.h"
#include "shell/finding.h"
#include "window/panels/code/code_view.h"
#include "window/panels/details/details_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr std::size_t kMostInside = 12;  // lines of a stack; copying takes all

// The ranges around the event, innermost first. A click selects one.
void draw_inside(const Canvas& c, const std::vector<EventRef>& ranges) {
  if (ranges.empty()) return;
  heading(c, tr("INSIDE"));
  const float s = c.scale;
  const float width = ImGui::GetContentRegionAvail().x;
  const std::size_t shown = ranges.size() > kMostInside + 1 ? kMostInside : ranges.size();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  std::optional<EventRef> wanted;
  for (std::size_t i = 0; i < shown; ++i) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = 20 * s;
    const std::string id = "inside." + std::to_string(i);
    if (press_area(c, id.c_str(), {width, height})) wanted = ranges[i];
    note_control(c, id);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const std::string name = shown_name(c.state.model.trace(), ranges[i]);
    const std::string lasts = base::format_duration(ranges[i].event.duration());
    const float lasts_width = text_width(c.fonts, FontRole::MonoSmall, lasts) + 2;
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      list.AddRectFilled({at.x - 4 * s, at.y}, {at.x + width + 4 * s, at.y + height}, c.theme[Colour::PanelHovered],
                         4 * s);
      ImGui::SetTooltip("%s\n%s", name.c_str(), tr("click: go there"));
    }
    const Label labels[] = {{at.x, at.y, width - lasts_width - 10 * s, c.theme.as_text(Colour::Text), FontRole::Small,
                             fit_text(c.fonts, FontRole::Small, name, width - lasts_width - 10 * s), height},
                            {at.x + width - lasts_width, at.y, lasts_width, c.theme.as_text(Colour::Muted),
                             FontRole::MonoSmall, lasts, height, LabelAlign::Right}};
    draw_labels(list, c.fonts, labels);
  }
  ImGui::PopStyleVar();
  if (shown < ranges.size()) text(c, FontRole::Small, Colour::Dim, tr("and {} more around it", ranges.size() - shown));
  if (wanted) select_listed(c.state, *wanted);
}

// The line of the user's program that made the call, and the whole stack. A click opens a line in the code view.
void draw_stack(const Canvas& c, const CallStack& stack) {
  if (stack.lines.empty()) return;
  heading(c, tr("CALLED FROM"));
  note_place(c, "stack");
  const float s = c.scale;
  const float width = ImGui::GetContentRegionAvail().x;
  // The user's own lines matter: what is left out is the end of a long stack, never the own line.
  const std::size_t most = std::max(kMostInside, stack.own + 1);
  const std::size_t shown = stack.lines.size() > most + 1 ? most : stack.lines.size();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  std::optional<StackLine> wanted;
  for (std::size_t i = 0; i < shown; ++i) {
    const StackLine& line = stack.lines[i];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool own = i == stack.own;
    const bool quoted = own && !line.source.empty();
    const float row = 20 * s;
    const float height = quoted ? 2 * row : row;
    const std::string id = "stack." + std::to_string(i);
    if (press_area(c, id.c_str(), {width, height})) wanted = line;
    note_control(c, id);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      list.AddRectFilled({at.x - 4 * s, at.y}, {at.x + width + 4 * s, at.y + height}, c.theme[Colour::PanelHovered],
                         4 * s);
      std::string says = line.file + (line.line == 0 ? "" : ":" + std::to_string(line.line));
      if (!line.source.empty()) says += "\n" + line.source;
      says += "\n" + std::string(tr("click: open it in the code view"));
      ImGui::SetTooltip("%s", wrapped_lines(c, FontRole::Body, says, 480 * s).c_str());
    }
    const FontRole font = own ? FontRole::BodyBold : FontRole::Small;
    const Colour ink = line.library ? Colour::Dim : Colour::Text;
    std::vector<Label> labels{
        {at.x, at.y, width, c.theme.as_text(ink), font, fit_text(c.fonts, font, line.sentence(), width), row}};
    if (quoted) {
      labels.push_back({at.x, at.y + row, width, c.theme.as_text(Colour::Accent), FontRole::MonoSmall,
                        fit_text(c.fonts, FontRole::MonoSmall, line.source, width), row});
    }
    draw_labels(list, c.fonts, labels);
  }
  ImGui::PopStyleVar();
  if (shown < stack.lines.size()) {
    text(c, FontRole::Small, Colour::Dim, tr("and {} more around it", stack.lines.size() - shown));
  }
  if (wanted) open_in_code(c.state, wanted->file, wanted->line);
}

// Count, sum, mean and percentiles of all events of the selected name, in the whole trace.
void draw_name_figures(const Canvas& c) {
  const NameFigures& all = c.state.name_figures;
  if (!all.open || !c.state.selection.event) return;
  heading(c, tr("ALL OF THIS NAME"));
  note_place(c, "name_figures");
  if (all.job.outdated()) return text(c, FontRole::Small, Colour::Muted, tr("calculating …"));
  const analysis::EventGroups& answer = *all.job.answer;
  const analysis::EventGroup f = answer.groups.empty() ? analysis::EventGroup{} : answer.groups.front();
  const std::string about = answer.exact ? "" : "≈ ";
  fact_lines(c, {{tr("count"), base::format_count(f.durations.count)},
                 {tr("total"), base::format_duration(f.sum_ns)},
                 {tr("mean"), base::format_duration(static_cast<Nanoseconds>(std::llround(f.durations.mean_ns)))},
                 {tr("median"), about + base::format_duration(f.durations.p50_ns)},
                 {tr("p99"), about + base::format_duration(f.durations.p99_ns)},
                 {tr("shortest"), base::format_duration(f.durations.min_ns)},
                 {tr("longest"), base::format_duration(f.durations.max_ns)}});
}

void draw_ordinary_gap(const Canvas& c) {
  const Nanoseconds gap = c.state.cause.ordinary_gap;
  if (gap == 0) return;
  wrapped_text(c, FontRole::Small, Colour::Dim,
               tr("The GPU is idle for {} beside it: too short to matter.", base::format_duration(gap)));
}

}  // namespace

void draw_event_details(const Canvas& c, const EventRef& event) {
  const ShellState& state = c.state;
  const EventRef ref = event;  // a click below may change the selection
  const EventFacts facts = event_facts(state.model.analysis().links(), ref, state.selection.linked,
                                       state.model.extent().first, state.model.facts().sm_count, &state.code.files);
  selection_heading(c);
  const std::string short_title =
      trace::is_gpu_work(ref.event.kind) ? shown_name(state.model.trace(), ref) : facts.title;
  copyable_title(c, facts.title, short_title, Colour::Text);
  vertical_space(c, 4);
  fact_lines(c, facts.times);
  draw_statement_figure(c);
  draw_stack(c, facts.stack);
  // With a path, what a wait waited for is its second station.
  if (!trace::is_sync(ref.event) || state.cause.path.empty()) fact_lines(c, facts.links);
  draw_ordinary_gap(c);
  draw_name_figures(c);
  draw_cause_path(c);
  if (!facts.details.empty()) {
    heading(c, tr("DETAILS"));
    note_place(c, "selected.details");
    fact_lines(c, facts.details);
  }
  draw_inside(c, facts.inside);
  if (!facts.arguments.empty()) {
    heading(c, tr("ARGUMENTS"));
    note_place(c, "selected.arguments");
    ImGui::PushID("arguments");  // the file may call one "duration"
    fact_lines(c, facts.arguments);
    ImGui::PopID();
  }
}

void draw_bubble_details(const Canvas& c, const analysis::Bubble& bubble) {
  const EventFacts facts = bubble_facts(c.state.model.trace(), bubble, c.state.model.extent().first);
  selection_heading(c);
  copyable_title(c, facts.title, facts.title, Colour::Bubble);
  fact_lines(c, facts.times);
  draw_cause_path(c);
}

}  // namespace lanescope::ui
