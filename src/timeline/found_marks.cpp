#include "timeline/found_marks.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/time.h"

namespace lanescope::ui {
namespace {

constexpr float kFoundFoldPx = 3;  // narrower events share an outline, just as they share a glyph

void add_outline(const MarkSurface& s, const Rect& r, Colour colour, float grow, float strength, float stroke) {
  const float scale = s.frame.scale;
  const float least = 3 * scale;  // minimum width, so that it is visible
  const float middle = r.x + r.width / 2;
  const float half = std::max(r.width, least) / 2 + grow * scale;
  Span span{middle - half, r.y - grow * scale, middle + half, r.y + r.height + grow * scale};
  span.x0 = std::max(span.x0, s.axis.left_px() - 8 * scale);
  span.x1 = std::min(span.x1, s.axis.right_px() + 8 * scale);
  if (span.x1 <= span.x0) return;
  span.colour = with_alpha(s.frame.theme[colour], 0.22f * strength);
  span.ink = with_alpha(s.frame.theme[colour], strength);
  span.rounding = 3 * scale;
  span.stroke = stroke * scale;
  span.style = SpanStyle::Outline;
  s.rows.add(span);
}

// A marker has no row: it spans all lanes.
void add_upright(const MarkSurface& s, Nanoseconds t, Colour colour, float half, float strength) {
  const float x = s.axis.to_px(t);
  if (x < s.axis.left_px() - half || x > s.axis.right_px() + half) return;
  s.rows.solid(x - half, s.lanes_top(), x + half, s.lanes_bottom(), with_alpha(s.frame.theme[colour], strength));
}

bool is_marker(const MarkSurface& s, trace::LaneId lane) {
  return s.frame.trace.lane(lane).info().kind == trace::LaneKind::Markers;
}

void add_row(const MarkSurface& s, trace::LaneId lane, std::size_t number, const FoundEvents::InRow& row) {
  const TimeAxis& axis = s.axis;
  const Nanoseconds fold = std::max<Nanoseconds>(1, axis.length_ns(kFoundFoldPx * s.frame.scale));
  const auto first_ending_after = [&](std::size_t from, Nanoseconds t) {
    return static_cast<std::size_t>(
        std::upper_bound(row.ends.begin() + static_cast<std::ptrdiff_t>(from), row.ends.end(), t) - row.ends.begin());
  };
  for (std::size_t i = first_ending_after(0, axis.begin_ns()); i < row.starts.size();) {
    if (row.starts[i] >= axis.end_ns()) break;
    EventRef ref;
    ref.lane = lane;
    ref.row = number;
    ref.event.start_ns = row.starts[i];
    const std::size_t next = std::max(i + 1, first_ending_after(i, row.starts[i] + fold));
    ref.event.end_ns = row.ends[next - 1];
    if (is_marker(s, lane)) {
      add_upright(s, row.starts[i], Colour::Accent, s.frame.scale, 0.9f);
      i = next;
      continue;
    }
    const auto rect = s.timeline.event_rect(ref, axis);
    if (!rect) return;  // a hidden lane
    if (rect->y > s.lanes_bottom() || rect->y + rect->height < s.lanes_top()) return;
    add_outline(s, *rect, Colour::Accent, 0, 1, 1.5f);
    i = next;
  }
}

}  // namespace

void add_found(const MarkSurface& s, const SearchState& search) {
  if (!search.open) return;
  for (const auto& [at, row] : search.by_row()) add_row(s, at.first, at.second, row);
  const float scale = s.frame.scale;
  for (const float x : found_ticks(search, s.axis)) {
    s.top.solid(x - scale, s.lanes_top() - 7 * scale, x + scale, s.lanes_top(), s.frame.theme[Colour::Accent]);
  }
  if (!search.shown) return;
  const double passed =
      search.pulse ? std::chrono::duration<double>(base::now() - *search.pulse).count() : kPulseSeconds;
  const auto share = static_cast<float>(passed / kPulseSeconds);
  if (is_marker(s, search.shown->lane)) {
    const Nanoseconds at = search.shown->event.start_ns;
    add_upright(s, at, Colour::Selection, scale, 1);
    if (share < 1) add_upright(s, at, Colour::Selection, (2 + 16 * share) * scale, 0.5f * (1 - share) * (1 - share));
    return;
  }
  const auto rect = s.timeline.event_rect(*search.shown, s.axis);
  if (!rect || !s.axis.overlaps(search.shown->event.start_ns,
                                std::max(search.shown->event.end_ns, search.shown->event.start_ns + 1))) {
    return;
  }
  add_outline(s, *rect, Colour::Selection, 1, 1, 2);
  if (share < 1) add_outline(s, *rect, Colour::Selection, 2 + 16 * share, (1 - share) * (1 - share), 3);
}

void add_pointed(const MarkSurface& s, const EventRef& event) {
  if (is_marker(s, event.lane)) return add_upright(s, event.event.start_ns, Colour::Selection, s.frame.scale, 0.9f);
  if (const auto rect = s.timeline.event_rect(event, s.axis)) add_outline(s, *rect, Colour::Selection, 0, 0.9f, 1.5f);
}

std::vector<float> found_ticks(const SearchState& search, const TimeAxis& axis, float apart) {
  std::vector<float> ticks;
  const auto& found = search.found;
  const auto from = [&](auto begin, Nanoseconds t) {
    return std::lower_bound(begin, found.end(), t,
                            [](const EventRef& e, Nanoseconds at) { return e.event.start_ns < at; });
  };
  const Nanoseconds step = std::max<Nanoseconds>(1, axis.length_ns(apart));
  for (auto at = from(found.begin(), axis.begin_ns()); at != found.end() && at->event.start_ns < axis.end_ns();) {
    ticks.push_back(axis.to_px(at->event.start_ns));
    at = from(std::next(at), at->event.start_ns + step);
  }
  return ticks;
}

}  // namespace lanescope::ui
