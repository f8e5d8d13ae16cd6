#include "timeline/mark_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanescope::ui {
namespace {

constexpr float kDotPitch = 6;          // between the dots of an arrow
constexpr float kArrowApart = 7;        // minimum distance between the arrows of many launches
constexpr float kBadgeRadius = 9;       // of the numbers on the path
constexpr float kCaptionLetter = 7.2f;  // width of a letter in the small bold font, with a margin
constexpr float kFoldPx = 3;            // narrower events are highlighted together with their neighbours

std::size_t caption_letters(const std::string& text) {
  constexpr unsigned char kContinues = 0x80, kMask = 0xC0, kWide = 0xE0;  // a Chinese letter is two wide
  std::size_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    count += (byte & kMask) == kContinues ? 0 : byte >= kWide ? 2 : 1;
  }
  return count;
}

class Pen {
 public:
  explicit Pen(const MarkSurface& surface) : surface_(surface), theme_(surface.frame.theme), s_(surface.frame.scale) {}

  void outline(const Rect& r, Colour colour, float stroke = 2) {
    const float x0 = std::max(r.x - stroke * s_, surface_.axis.left_px() - 20 * s_);
    const float x1 = std::min(r.x + r.width + stroke * s_, surface_.axis.right_px() + 20 * s_);
    if (x1 <= x0) return;
    surface_.rows.add(Span{x0, r.y - stroke * s_, x1, r.y + r.height + stroke * s_, with_alpha(theme_[colour], 0),
                           theme_[colour], 4 * s_, 1, stroke * s_, SpanStyle::Outline});
  }

  void outline(const std::optional<EventRef>& event, Colour colour, float stroke = 2) {
    if (!event) return;
    if (const auto rect = rect_of(*event)) outline(*rect, colour, stroke);
  }

  // A text below the rectangle, in a box as in a tooltip.
  void caption(const Rect& r, const std::string& says) {
    if (says.empty()) return;
    const float width = (static_cast<float>(caption_letters(says)) * kCaptionLetter + 24) * s_, height = 24 * s_;
    const float x = std::clamp(r.x + r.width / 2 - width / 2, surface_.axis.left_px() + 4 * s_,
                               std::max(surface_.axis.left_px() + 4 * s_, surface_.axis.right_px() - width));
    const float below = r.y + r.height + 6 * s_;
    const float y = below + height <= surface_.lanes_bottom() ? below : r.y + r.height - height - 6 * s_;
    surface_.rows.add({x, y, width, theme_.ink_on(Colour::Selection), FontRole::SmallBold, says, height,
                       LabelAlign::Centre, theme_[Colour::Selection]});
  }

  // A marker has no row: it spans all lanes.
  void upright(Nanoseconds t, Colour colour) {
    const float x = surface_.axis.to_px(t);
    surface_.rows.solid(x - s_, surface_.lanes_top(), x + s_, surface_.lanes_bottom(), theme_[colour]);
  }

  std::optional<Rect> rect_of(const EventRef& event) const {
    return surface_.timeline.event_rect(event, surface_.axis);
  }

  std::optional<Rect> rect_of(const analysis::Bubble& bubble) const {
    const analysis::LiveAnalysis* analysis = surface_.frame.analysis;
    const auto row = analysis ? surface_.timeline.bubble_row(*analysis, bubble.gpu) : std::nullopt;
    if (!row) return std::nullopt;
    const float x0 = surface_.axis.to_px(bubble.start_ns);
    return Rect{x0, row->y, std::max(surface_.axis.to_px(bubble.end_ns) - x0, 2.0f), row->height};
  }

  // A dotted curve between the two middles, vertical at both ends, with an arrowhead.
  void arrow(const Rect& from, const Rect& to, std::uint32_t colour, float weight) {
    const bool down = from.y < to.y;
    const float ax = from.x + from.width / 2;
    const float ay = down ? from.y + from.height : from.y;
    const float bx = to.x + to.width / 2;
    const float by = down ? to.y : to.y + to.height;
    const float reach = (by - ay) * 0.55f;
    const int dots = static_cast<int>(std::clamp(std::hypot(bx - ax, by - ay) / (kDotPitch * s_), 8.0f, 400.0f));
    for (int i = 0; i < dots; ++i) {
      const float u = static_cast<float>(i) / static_cast<float>(dots);
      const float v = 1 - u;
      const float x = v * v * v * ax + 3 * v * v * u * ax + 3 * v * u * u * bx + u * u * u * bx;
      const float y = v * v * v * ay + 3 * v * v * u * (ay + reach) + 3 * v * u * u * (by - reach) + u * u * u * by;
      dot(x, y, weight * s_, colour);
    }
    // The head: rows of pixels that widen away from the tip.
    constexpr int kRows = 5;
    for (int i = 0; i < kRows; ++i) {
      const float half = (0.6f + static_cast<float>(i)) * 0.8f * s_;
      const float y = by - (down ? 1.0f : -1.0f) * static_cast<float>(i) * s_;
      surface_.rows.solid(bx - half, y - 0.6f * s_, bx + half, y + 0.6f * s_, colour);
    }
  }

  void badge(const Rect& on, int number) {
    const TimeAxis& axis = surface_.axis;
    const float r = kBadgeRadius * s_;
    if (on.x + on.width < axis.left_px() || on.x > axis.right_px()) return;
    // At the upper left corner, where there is no label yet. Two at the same place are drawn side by side.
    float x = std::clamp(on.x + std::min(2 * s_, on.width / 2), axis.left_px() + r, axis.right_px() - r);
    const float y = std::max(on.y - 2 * s_, surface_.lanes_top() + r);
    for (std::size_t i = 0; i < badges_; ++i) {
      if (std::abs(placed_[i].first - x) < 2 * r && std::abs(placed_[i].second - y) < 2 * r)
        x = placed_[i].first + 2 * r + s_;
    }
    placed_[badges_++] = {x, y};
    const std::uint32_t ink = theme_[Colour::Ground];
    surface_.rows.solid(x - r - s_, y - r - s_, x + r + s_, y + r + s_, ink, r + s_);
    surface_.rows.solid(x - r, y - r, x + r, y + r, theme_[Colour::SelectionLink], r);
    surface_.rows.add(
        {x - r, y - r, 2 * r, ink, FontRole::SmallBold, std::to_string(number), 2 * r, LabelAlign::Centre});
  }

  // Highlights events of a sub-row. Those too narrow for their own outline share one.
  void light(const EventRun& run, Colour colour) {
    const trace::Trace& trace = surface_.frame.trace;
    if (run.lane >= trace.lane_count() || run.row >= trace.lane(run.lane).row_count()) return;
    const trace::Row& row = trace.lane(run.lane).row(run.row);
    const trace::EventIndex last = std::min(run.last, row.last());
    const TimeAxis& axis = surface_.axis;
    trace::EventIndex i = std::max(run.first, row.first());
    if (i >= last) return;
    const Nanoseconds fold = std::max<Nanoseconds>(1, axis.length_ns(kFoldPx * s_));
    for (i = row.first_ending_after(axis.begin_ns(), i, last); i < last && row.start(i) < axis.end_ns();) {
      const trace::Fold glyph = row.fold(i, fold, last);
      EventRef ref{run.lane, run.row, i, row.event(i)};
      ref.event.end_ns = glyph.end;
      outline(ref, colour, 1.5f);
      i = glyph.last;
    }
  }

 private:
  void dot(float x, float y, float r, std::uint32_t colour) {
    if (x < surface_.axis.left_px() - r || x > surface_.axis.right_px() + r) return;
    surface_.rows.solid(x - r, y - r, x + r, y + r, colour, r);
  }

  const MarkSurface& surface_;
  const Theme& theme_;
  float s_;
  std::array<std::pair<float, float>, 8> placed_{};
  std::size_t badges_ = 0;
};

void add_launches(const MarkSurface& surface, Pen& marks, const std::vector<Launch>& launches) {
  const std::uint32_t colour = with_alpha(surface.frame.theme[Colour::SelectionLink], 0.75f);
  const float apart = kArrowApart * surface.frame.scale;
  float last = -1e9f, last_to = -1e9f;
  for (const Launch& launch : launches) {
    const auto from = marks.rect_of(launch.call);
    const auto to = marks.rect_of(launch.operation);
    if (!from || !to) continue;
    // The nodes of a graph have the same launch.
    if (from->x == last ? to->x - last_to < apart : from->x - last < apart) continue;
    const TimeAxis& axis = surface.axis;
    if (std::max(from->x, to->x) < axis.left_px() || std::min(from->x, to->x) > axis.right_px()) continue;
    last = from->x;
    last_to = to->x;
    marks.arrow(*from, *to, colour, 1.0f);
  }
}

void add_path(const MarkSurface& surface, Pen& marks, const CausePath& path) {
  const std::uint32_t colour = surface.frame.theme[Colour::SelectionLink];
  const auto rect = [&](const std::optional<EventRef>& event) {
    return event ? marks.rect_of(*event) : std::optional<Rect>();
  };
  const auto wait = rect(path.wait), last = rect(path.last_operation), launch = rect(path.its_launch);
  const auto next = rect(path.next_launch), operation = rect(path.next_operation);
  const auto bubble = path.bubble ? marks.rect_of(*path.bubble) : std::optional<Rect>();
  marks.outline(path.last_operation, Colour::SelectionLink);
  marks.outline(path.its_launch, Colour::SelectionLink, 1.5f);
  marks.outline(path.next_launch, Colour::SelectionLink, 1.5f);
  if (wait && last) marks.arrow(*wait, *last, colour, 1.3f);
  if (launch && last && (!wait || launch->x != wait->x)) {
    marks.arrow(*launch, *last, with_alpha(colour, 0.6f), 1.0f);
  }
  if (next && operation) marks.arrow(*next, *operation, colour, 1.3f);
  const std::array<std::optional<Rect>, 5> stations{wait, last, launch, bubble, next};
  for (std::size_t i = 0; i < stations.size(); ++i) {
    if (stations[i]) marks.badge(*stations[i], static_cast<int>(i) + 1);
  }
}

}  // namespace

void add_causes(const MarkSurface& surface, const CauseState& cause) {
  const trace::Trace::ReadLock lock(surface.frame.trace);
  Pen marks(surface);
  for (const EventRun& run : cause.highlight.runs)
    marks.light(run, cause.highlight.waited_for ? Colour::Wait : Colour::SelectionLink);
  for (const EventRun& run : cause.graph) marks.light(run, Colour::SelectionLink);
  if (!surface.frame.selection) return;
  const Selection& selection = *surface.frame.selection;
  add_launches(surface, marks, cause.launches);
  if (selection.event && selection.event->event.kind == trace::EventKind::Marker) {
    marks.upright(selection.event->event.start_ns, Colour::Selection);
  }
  marks.outline(selection.event, Colour::Selection);
  if (selection.bubble) {
    if (const auto rect = marks.rect_of(*selection.bubble)) {
      marks.outline(*rect, Colour::Selection);
      marks.caption(*rect, selection.caption);
    }
  }
  if (!cause.path.empty()) {
    add_path(surface, marks, cause.path);
  } else if (selection.event && selection.linked) {
    const auto from = marks.rect_of(*selection.event);
    const auto to = marks.rect_of(*selection.linked);
    marks.outline(selection.linked, Colour::SelectionLink);
    // From cause to effect: a call launches an operation.
    const bool from_gpu = trace::is_gpu_work(selection.event->event.kind);
    if (from && to) {
      marks.arrow(from_gpu ? *to : *from, from_gpu ? *from : *to, surface.frame.theme[Colour::SelectionLink], 1.3f);
    }
  }
}

}  // namespace lanescope::ui
