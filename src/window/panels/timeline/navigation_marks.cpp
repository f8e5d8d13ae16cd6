// Navigation marks over the lanes: the band that a drag zooms to, the line where a jump arrived, and a pointer to the
// run when almost none of it is in view.
#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "base/translate.h"
#include "window/panels/timeline/timeline_panels.h"

namespace lanescope::ui {
namespace {

using base::tr;

void arrival_pill(const MarkSurface& m, float middle, const std::string& text) {
  const float s = m.frame.scale;
  const float width = 240 * s;
  const float left =
      std::clamp(middle - width / 2, m.axis.left_px(), std::max(m.axis.left_px(), m.axis.right_px() - width));
  m.top.add({left, m.area.y + 5 * s, width, m.frame.theme[Colour::AccentInk], FontRole::SmallBold, text, 20 * s,
             LabelAlign::Centre, m.frame.theme[Colour::Accent]});
}

void add_zoom_band(const MarkSurface& m, const TimelineDrag& drag) {
  const Theme& theme = m.frame.theme;
  const float s = m.frame.scale;
  const float x0 = std::clamp(std::min(drag.x0, drag.x1), m.axis.left_px(), m.axis.right_px());
  const float x1 = std::clamp(std::max(drag.x0, drag.x1), m.axis.left_px(), m.axis.right_px());
  const float y0 = m.lanes_top();
  const float y1 = m.lanes_bottom();
  if (drag.kind == DragKind::ZoomIn) {
    const std::uint32_t shade = with_alpha(theme[Colour::Ground], 0.55f);
    m.rows.solid(m.axis.left_px(), y0, x0, y1, shade);
    m.rows.solid(x1, y0, m.axis.right_px(), y1, shade);
    m.rows.solid(x0, y0, x1, y1, with_alpha(theme[Colour::Accent], 0.10f));
  } else {
    m.rows.styled(SpanStyle::Dashed, x0, y0 + 2 * s, x1, y1 - 2 * s, with_alpha(theme[Colour::Accent], 0.14f),
                  theme[Colour::Accent], 4 * s);
  }
  m.rows.solid(x0 - s, y0, x0, y1, theme[Colour::Accent]);
  m.rows.solid(x1, y0, x1 + s, y1, theme[Colour::Accent]);
  if (drag.kind == DragKind::ZoomIn) {
    arrival_pill(m, (x0 + x1) / 2, base::format_duration(m.axis.to_ns(x1) - m.axis.to_ns(x0)));
  } else if (x1 - x0 >= 1) {
    arrival_pill(m, (x0 + x1) / 2, tr("zoom out {:.1f}x", m.axis.width_px() / (x1 - x0)));
  }
}

// The wait that the pointer holds; once it is off its lane, what its release shows.
void add_dragged_wait(const MarkSurface& m, const TimelineDrag& drag) {
  const Theme& theme = m.frame.theme;
  const float s = m.frame.scale, y = drag.block.y + drag.y1 - drag.y0;
  const float x0 = std::max(drag.block.x, m.axis.left_px() - 8 * s);
  const float x1 = std::min(drag.block.x + std::max(drag.block.width, 3 * s), m.axis.right_px() + 8 * s);
  m.rows.styled(SpanStyle::Dashed, x0, y, x1, y + drag.block.height,
                with_alpha(theme[Colour::Accent], drag.off_lane() ? 0.2f : 0.06f), theme[Colour::Accent], 4 * s);
  if (!drag.off_lane()) return;
  const float width = 200 * s;
  const float left = std::min(drag.x1 + 14 * s, std::max(m.axis.left_px(), m.axis.right_px() - width));
  m.rows.add({left, drag.y1 - 10 * s, width, theme[Colour::AccentInk], FontRole::SmallBold, tr("without this wait"),
              20 * s, LabelAlign::Left, theme[Colour::Accent]});
}

void add_arrival(const MarkSurface& m, NavigationState& navigation) {
  if (!navigation.arrival) return;
  const auto left = navigation.arrival->until - base::now();
  if (left <= left.zero()) {
    navigation.arrival.reset();
    return;
  }
  const double share = std::chrono::duration<double>(left) / std::chrono::duration<double>(ArrivalFlash::kLasts);
  const float x = m.axis.to_px(navigation.arrival->at);
  const float s = m.frame.scale;
  const auto alpha = static_cast<float>(std::min(1.0, share * 1.5));
  m.rows.solid(x - s, m.lanes_top(), x + s, m.lanes_bottom(), with_alpha(m.frame.theme[Colour::Accent], alpha));
}

// With almost none of the run in view, the user would be lost without a pointer back.
void add_way_back(const Canvas& c, const MarkSurface& m) {
  const auto [begin, end] = c.state.view.extent();
  const float s = m.frame.scale;
  const float x0 = m.axis.to_px(begin);
  const float x1 = m.axis.to_px(end);
  const float seen = std::min(x1, m.axis.right_px()) - std::max(x0, m.axis.left_px());
  if (x1 - x0 < 60 * s || seen > 44 * s) return;
  const bool to_the_left = (x0 + x1) / 2 < (m.axis.left_px() + m.axis.right_px()) / 2;
  const std::string keys = key_text(info(Action::FitAll).keys.front());
  const std::string text = to_the_left ? tr("←  The run is this way. {} shows all of it.", keys)
                                       : tr("The run is this way. {} shows all of it.  →", keys);
  const float width = 420 * s;
  m.rows.add({(m.axis.left_px() + m.axis.right_px() - width) / 2, (m.lanes_top() + m.lanes_bottom()) / 2 - 14 * s,
              width, m.frame.theme[Colour::AccentInk], FontRole::BodyBold, text, 28 * s, LabelAlign::Centre,
              m.frame.theme[Colour::Accent]});
}

}  // namespace

void add_navigation(const Canvas& c, const MarkSurface& m) {
  NavigationState& navigation = c.state.navigation;
  const TimelineDrag& drag = navigation.drag;
  const bool active = drag.moved && !drag.cancelled;
  if (active && (drag.kind == DragKind::ZoomIn || drag.kind == DragKind::ZoomOut)) add_zoom_band(m, drag);
  if (active && drag.kind == DragKind::Wait) add_dragged_wait(m, drag);
  if (active && drag.snapped) {
    // The edge that it snapped to.
    const auto& range = c.state.selection.range;
    const float s = m.frame.scale;
    if (range && (drag.kind == DragKind::Range || drag.kind == DragKind::RangeEdge)) {
      const Nanoseconds at = drag.anchor == range->first ? range->second : range->first;
      const float x = m.axis.to_px(at);
      const float y = std::max(drag.y1, m.lanes_top() + 8 * s);
      m.rows.solid(x - 4 * s, y - 4 * s, x + 4 * s, y + 4 * s, m.frame.theme[Colour::Selection], 4 * s);
    }
  }
  add_arrival(m, navigation);
  add_way_back(c, m);
}

}  // namespace lanescope::ui
