#include "ui/cause/cause.h"

#include <algorithm>
#include <cmath>

namespace lanescope::ui {

CausePath cause_path(const trace::Trace&, const analysis::LiveAnalysis&, const EventRef&) { return {}; }
CausePath cause_path(const trace::Trace&, const analysis::LiveAnalysis&, const analysis::Bubble&) { return {}; }
Lit lit_with(const trace::Trace&, const EventRef&, std::size_t) { return {}; }
void add_causes(const MarkSurface& surface, const CauseState&) {
  const TimelineFrame& frame = surface.frame;
  const TimeAxis& axis = surface.axis;
  if (!frame.selection) return;
  const Selection& selection = *frame.selection;
  const float s = frame.scale;
  const auto outline = [&](const Rect& r, Colour colour) {
    surface.rows.add(Span{r.x - 2 * s, r.y - 2 * s, r.x + r.width + 2 * s, r.y + r.height + 2 * s,
                          with_alpha(frame.theme[colour], 0), frame.theme[colour], 4 * s, 1, 2 * s,
                          SpanStyle::Outline});
  };
  if (selection.bubble) {
    if (const auto row = surface.timeline.bubble_row(frame.trace)) {
      const float x0 = axis.to_px(selection.bubble->start_ns);
      const float x1 = axis.to_px(selection.bubble->end_ns);
      outline({x0, row->y, x1 - x0, row->height}, Colour::Selection);
    }
  }
  if (!selection.event) return;
  const auto from = surface.timeline.event_rect(*selection.event, axis);
  if (from) outline(*from, Colour::Selection);
  if (!selection.linked) return;
  const auto to = surface.timeline.event_rect(*selection.linked, axis);
  if (!to || !from) return;
  outline(*to, Colour::SelectionLink);
  // A dashed curve from the call's middle to the operation's, leaving and arriving upright; dots are spans as well.
  const bool down = from->y < to->y;
  const float ax = from->x + from->width / 2;
  const float ay = down ? from->y + from->height : from->y;
  const float bx = to->x + to->width / 2;
  const float by = down ? to->y : to->y + to->height;
  const float reach = (by - ay) * 0.55f;
  const int dots = static_cast<int>(std::clamp(std::hypot(bx - ax, by - ay) / (6 * s), 8.0f, 400.0f));
  for (int i = 0; i <= dots; ++i) {
    const float u = static_cast<float>(i) / static_cast<float>(dots);
    const float v = 1 - u;
    const float x = v * v * v * ax + 3 * v * v * u * ax + 3 * v * u * u * bx + u * u * u * bx;
    const float y = v * v * v * ay + 3 * v * v * u * (ay + reach) + 3 * v * u * u * (by - reach) + u * u * u * by;
    const float r = (i == dots ? 3.0f : 1.3f) * s;
    surface.rows.solid(x - r, y - r, x + r, y + r, frame.theme[Colour::SelectionLink], r);
  }
}

}  // namespace lanescope::ui
