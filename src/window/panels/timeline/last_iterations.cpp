// The last iterations, one tick each: those with a read stand out. A click shows one.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {

using base::tr;

// As on the lanes: less than a fiftieth is nothing.
static bool costs_time(const analysis::RecentIteration& one) { return one.lost_ns * 50 > one.end_ns - one.start_ns; }

float last_iterations_height(const ShellState& state) {
  const bool loop = state.model.live() && state.model.analysis().records().size() > 1;
  return loop || state.model.steering() ? 34 * state.scale() : 0;
}

void draw_last_iterations(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const std::vector<analysis::RecentIteration> recent =
      analysis::recent_iterations(state.model.analysis(), kLastIterations);
  const TimeAxis& axis = state.view.axis();
  // Those with a read stand out or, if none reads, those that wait.
  const auto reads = std::ranges::count(recent, true, &analysis::RecentIteration::reads);
  const auto waits = std::ranges::count(recent, true, &analysis::RecentIteration::waits);
  const auto stands_out = [&](const analysis::RecentIteration& one) { return reads > 0 ? one.reads : one.waits; };
  const bool costs = std::ranges::any_of(recent, [&](const auto& one) { return stands_out(one) && costs_time(one); });
  const float x = at.x + 16 * s;
  const float names = axis.left_px() - x - 4 * s;
  draw_label(c, {x, at.y + 1 * s, names, 16 * s}, c.theme[Colour::Text], FontRole::Small,
             tr("last {}", kLastIterations));
  draw_label(c, {x, at.y + 16 * s, names, 16 * s}, c.theme.as_text(costs ? Colour::Wait : Colour::Muted),
             FontRole::Small, reads == 0 && waits > 0 ? tr("{} wait", waits) : tr("{} read", reads));
  if (recent.empty()) return;
  const float pitch = axis.width_px() / static_cast<float>(kLastIterations);
  const float top = at.y + 6 * s, bottom = at.y + size.y - 6 * s;
  ImGui::SetCursorScreenPos({axis.left_px(), at.y});
  const bool clicked = press_area(c, "##last", {axis.width_px(), size.y});
  note_place(c, "last_iterations");
  const bool hovered = ImGui::IsItemHovered();
  const float mouse = ImGui::GetIO().MousePos.x;
  const std::size_t first = kLastIterations - recent.size();  // the newest is at the right
  const auto& shown = state.view.shown_iteration();
  static SpanBatch batch;
  batch.clear();
  const analysis::RecentIteration* pointed = nullptr;
  for (std::size_t i = 0; i < recent.size(); ++i) {
    const analysis::RecentIteration& one = recent[i];
    const float x0 = axis.left_px() + pitch * static_cast<float>(first + i) + 1;
    const float x1 = x0 + pitch - 2;
    const bool is_shown = shown && one.start_ns == shown->start_ns;
    if (stands_out(one)) {
      // Full colour where the GPU idles because of the read, pale where it costs nothing.
      const bool costs_here = costs_time(one);
      const float strength = costs_here ? (is_shown ? 1.0f : 0.75f) : 0.3f;
      batch.solid(x0, top, x1, bottom, with_alpha(c.theme[costs_here ? Colour::Wait : Colour::Call], strength));
    } else {
      batch.solid(x0, (top + bottom) / 2, x1, bottom, with_alpha(c.theme[Colour::Call], is_shown ? 1.0f : 0.6f));
    }
    if (is_shown) {
      batch.styled(SpanStyle::Outline, x0 - 3 * s, top - 3 * s, x1 + 3 * s, bottom + 3 * s,
                   with_alpha(c.theme[Colour::Text], 0), c.theme[Colour::Text], 3 * s);
    }
    if (hovered && mouse >= x0 - 1 && mouse < x1 + 1) pointed = &one;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  add_to_draw_list(list, c.spans, batch);
  if (!pointed) return;
  const std::string length = base::format_duration(pointed->end_ns - pointed->start_ns);
  ImGui::SetTooltip(
      "%s",
      (pointed->reads
           ? tr("iteration {} reads · {}\nclick: show it in the lanes", base::format_count(pointed->number), length)
           : tr("iteration {} · {}\nclick: show it in the lanes", base::format_count(pointed->number), length))
          .c_str());
  if (clicked) state.view.show_iteration(pointed->start_ns, pointed->end_ns);
}

}  // namespace lanescope::ui
