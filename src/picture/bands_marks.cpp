#include "picture/bands_marks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/translate.h"

namespace lanescope::ui {
namespace {

using base::tr;
using Mark = Alignment::Mark;

constexpr double kMeanNear = 0.05;  // share of the drawn difference
constexpr float kLeastBar = 3;      // pixels; narrower ones are merged

Rect over(const TimeAxis& axis, float top, float bottom) {
  return {axis.left_px(), top, axis.width_px(), bottom - top};
}

void add_bar(const BandsScene& scene, std::size_t side, const TimeAxis& axis, const Rect& row, const Mark& mark,
             SpanBatch& out) {
  const float s = scene.scale;
  const Theme& theme = scene.theme;
  const bool typical = mark.number == 0;
  const std::uint32_t fill =
      typical ? theme[side_colour(side)] : mix(theme[Colour::Ground], theme[side_colour(side)], 0.28f);
  const float x0 = axis.to_px(mark.from), x1 = axis.to_px(mark.to);
  out.solid(x0 + 0.5f * s, row.y + 2 * s, x1 - 0.5f * s, row.y + row.height - 2 * s, fill, 3 * s);
  const float left = std::max(x0, axis.left_px()) + 4 * s;
  const float right = std::min(x1, axis.right_px()) - 4 * s;
  const std::string length = base::format_duration(mark.to - mark.from);
  if (text_width(scene.fonts, typical ? FontRole::SmallBold : FontRole::Small, length) > right - left) return;
  out.add({left, row.y, right - left, typical ? theme.ink_on(side_colour(side)) : theme[Colour::Text],
           typical ? FontRole::SmallBold : FontRole::Small, length, row.height, LabelAlign::Centre});
}

void add_dashes(SpanBatch& out, float x, float y0, float y1, std::uint32_t colour, float s) {
  for (float y = y0; y < y1; y += 7 * s) {
    out.solid(x - 0.75f * s, y, x + 0.75f * s, std::min(y + 4 * s, y1), colour);
  }
}

// The iterations of one side in view; those too narrow to be distinguished are merged.
void add_side_marks(const BandsScene& scene, std::size_t side, const TimeAxis& axis, const BandsPlaces& places,
                    SpanBatch& out) {
  const float s = scene.scale;
  const Rect& row = places.marks[side];
  const float bottom = places.lanes[side].y + places.lanes[side].height;
  const std::vector<Mark>& marks = scene.alignment.marks(side);
  auto mark = std::partition_point(marks.begin(), marks.end(), [&](const Mark& m) { return m.to <= axis.begin_ns(); });
  out.add({row.x + 16 * s, row.y, (CompareBands::kNames - 20) * s, scene.theme[Colour::Text], FontRole::Body,
           scene.side(side)->whole ? tr("the trace") : tr("iteration"), row.height});
  const Nanoseconds least = axis.length_ns(kLeastBar * s);
  while (mark != marks.end() && mark->from < axis.end_ns()) {
    if (mark->to - mark->from >= least) {
      add_bar(scene, side, axis, row, *mark, out);
      const float x = axis.to_px(mark->to);
      const bool typical = mark->number == 0;
      const std::uint32_t colour = scene.theme[side_colour(side)];
      const float half = (typical ? 1.0f : 0.5f) * s;
      out.solid(x - half, row.y, x + half, bottom, typical ? colour : with_alpha(colour, 0.55f));
      ++mark;
      continue;
    }
    Mark all = *mark;
    while (mark != marks.end() && mark->to - mark->from < least && mark->from < axis.end_ns()) all.to = (mark++)->to;
    const std::uint32_t fill = mix(scene.theme[Colour::Ground], scene.theme[side_colour(side)], 0.28f);
    out.solid(axis.to_px(all.from), row.y + 2 * s, axis.to_px(all.to), row.y + row.height - 2 * s, fill);
  }
}

// For iterations that both sides have: which one finishes first, and by how much.
void add_won_time(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places, SpanBatch& out) {
  for (const Alignment::Slot& slot : scene.alignment.slots()) {
    const Mark* a = scene.alignment.mark(kSideA, slot.number);
    const Mark* b = scene.alignment.mark(kSideB, slot.number);
    if (!a || !b || a->to == b->to || !axis.overlaps(slot.from, slot.to)) continue;
    const bool won = b->to < a->to;
    const Rect& lanes = places.lanes[won ? kSideB : kSideA];
    const Rect& row = places.marks[won ? kSideB : kSideA];
    const float x0 = axis.to_px(std::min(a->to, b->to)), x1 = axis.to_px(std::max(a->to, b->to));
    out.solid(x0, row.y, x1, lanes.y + lanes.height, with_alpha(scene.theme[won ? Colour::Good : Colour::Wait], 0.14f));
  }
}

}  // namespace

std::optional<TimeAxis> axis_of(const Alignment::Piece& piece, const TimeAxis& axis) {
  if (!axis.overlaps(piece.at, piece.until)) return std::nullopt;
  const float left = std::max(axis.left_px(), axis.to_px(piece.at));
  const float right = std::min(axis.right_px(), axis.to_px(piece.until));
  if (right - left < 0.25f) return std::nullopt;
  const Nanoseconds from = std::max(piece.at, axis.begin_ns());
  return TimeAxis(piece.source_ns + (from - piece.at), axis.ns_per_pixel(), left, right - left);
}

Nanoseconds label_origin(const Alignment& alignment, const Alignment::Piece& piece) {
  return alignment.align() == CompareAlign::Iteration ? piece.source_ns : piece.source_ns - piece.at;
}

void add_bands_ruler(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places, PictureSheet& sheet) {
  const float s = scene.scale;
  const Rect& area = places.ruler;
  const float bottom = area.y + area.height;
  SpanBatch out, unit;
  bool first = true;
  const auto add = [&](Nanoseconds origin, Nanoseconds from, Nanoseconds to) {
    if (!axis.overlaps(from, to)) return;
    const Ruler ruler = make_ruler(axis, 84 * s, origin, 7.3f * s);
    if (std::exchange(first, false)) {
      unit.add({area.x + 16 * s, area.y + 2 * s, (CompareBands::kNames - 20) * s, scene.theme[Colour::Muted],
                FontRole::MonoSmall, ruler.base.empty() ? ruler.unit : ruler.unit + "  " + ruler.base, 18 * s});
    }
    const float end = std::min(axis.to_px(to), axis.right_px());
    for (const Tick& tick : ruler.ticks) {
      if (tick.t < from || tick.t >= to) continue;
      const float x = std::floor(tick.px) + 0.5f;
      out.solid(x - 0.5f, bottom - (tick.major ? 6 : 3) * s, x + 0.5f, bottom, scene.theme[Colour::Faint]);
      const float half = 60 * s;
      if (!tick.major || (x + 40 * s > end && tick.t != from)) continue;
      out.add({x - half, area.y + 2 * s, 2 * half, scene.theme[Colour::Muted], FontRole::MonoSmall, tick.label, 18 * s,
               LabelAlign::Centre});
    }
  };
  if (scene.alignment.align() == CompareAlign::Time) {
    add(0, axis.begin_ns(), axis.end_ns());
  } else {
    for (const Alignment::Slot& slot : scene.alignment.slots()) add(slot.from, slot.from, slot.to);
  }
  sheet.layers.push_back({{axis.left_px() - 20 * s, area.y, axis.width_px() + 24 * s, area.height}, std::move(out)});
  sheet.layers.push_back({area, std::move(unit)});
}

void add_iteration_marks(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places,
                         PictureSheet& sheet) {
  const float s = scene.scale;
  const Rect& last = places.lanes[scene.b ? kSideB : kSideA];
  const float bottom = last.y + last.height;
  SpanBatch out, names;
  add_won_time(scene, axis, places, out);
  // Lines do not cross text over the lanes.
  const auto add_line = [&](Nanoseconds at) {
    const float x = std::floor(axis.to_px(at));
    for (const std::size_t side : {kSideA, kSideB}) {
      if (!scene.side(side)) continue;
      const Rect& lanes = places.lanes[side];
      out.solid(x, places.marks[side].y, x + s, lanes.y + lanes.height, scene.theme[Colour::Faint]);
    }
  };
  for (const Alignment::Slot& slot : scene.alignment.slots()) add_line(slot.from);
  if (scene.alignment.align() == CompareAlign::Time) add_line(0);
  for (std::size_t side = 0; side < 2; ++side) {
    if (!scene.side(side)) continue;
    SpanBatch own;
    add_side_marks(scene, side, axis, places, own);
    // The row's name is to the left of the axis.
    names.labels.push_back(own.labels.front());
    own.labels.erase(own.labels.begin());
    out.spans.insert(out.spans.end(), own.spans.begin(), own.spans.end());
    out.labels.insert(out.labels.end(), own.labels.begin(), own.labels.end());
  }
  if (scene.b) {
    // Where A ended, seen from B.
    if (const Mark* a = scene.alignment.mark(kSideA, 0)) {
      const float x = axis.to_px(a->to);
      const Rect& gap = places.difference;
      add_dashes(out, x, gap.y, gap.y + gap.height, scene.theme[side_colour(kSideA)], s);
      add_dashes(out, x, places.marks[kSideB].y, bottom, scene.theme[side_colour(kSideA)], s);
    }
  }
  sheet.layers.push_back({over(axis, places.ruler.y, bottom), std::move(out)});
  sheet.layers.push_back(
      {{places.ruler.x, places.ruler.y, axis.left_px() - places.ruler.x, bottom - places.ruler.y}, std::move(names)});
}

void add_bracket(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places, PictureSheet& sheet) {
  const Mark* a = scene.alignment.mark(kSideA, 0);
  const Mark* b = scene.alignment.mark(kSideB, 0);
  if (!a || !b) return;
  const float s = scene.scale;
  const Theme& theme = scene.theme;
  const Rect& row = places.difference;
  const Nanoseconds length_a = a->to - a->from, length_b = b->to - b->from;
  const bool shorter = length_b < length_a;
  const Nanoseconds by = shorter ? length_a - length_b : length_b - length_a;
  const bool same = static_cast<double>(by) <= kSameWithin * static_cast<double>(std::max(length_a, length_b));
  const Colour colour = same ? Colour::Muted : shorter ? Colour::Good : Colour::Wait;
  const std::string by_text = base::format_duration(by);
  std::string says = same      ? std::string(tr("equally long"))
                     : shorter ? tr("{} shorter", by_text)
                               : tr("{} longer", by_text);
  // The drawing shows one iteration of each side. If the means differ by another amount, the bracket says that it is
  // for these two iterations only.
  const double mean = std::abs(scene.b->mean_ns() - scene.a.mean_ns());
  if (!same && std::abs(static_cast<double>(by) - mean) > kMeanNear * static_cast<double>(by)) {
    const auto steady = [](const RunSnapshot& run) { return run.summary.pace.queue_is_steady(); };
    says = (steady(scene.a) && steady(*scene.b) ? tr("these two: ") : tr("these two, on the CPU: ")) + says;
  }
  const float x0 = axis.to_px(std::min(a->to, b->to)), x1 = axis.to_px(std::max(a->to, b->to));
  const float y = row.y + row.height / 2;
  SpanBatch out;
  if (!same) {
    out.solid(x0, y - s, x1, y + s, theme[colour]);
    for (const float x : {x0, x1}) out.solid(x - s, y - 7 * s, x + s, y + 7 * s, theme[colour]);
  }
  const float width = text_width(scene.fonts, FontRole::BodyBold, says) + 2 * s;
  const float pad = 12 * s;
  const float left = std::max(x0, axis.left_px()), right = std::min(x1, axis.right_px());
  // Inside the bracket if there is space, otherwise after it or before it.
  float x = left + (right - left - width) / 2;
  std::uint32_t ground = theme[Colour::Ground];
  if (right - left < width + 2 * pad) {
    ground = with_alpha(ground, 0);
    x = right + pad + width <= axis.right_px() ? right + pad : left - pad - width;
  }
  if (x >= axis.left_px()) {
    out.add({x, row.y, width + 2 * s, theme.as_text(colour), FontRole::BodyBold, says, row.height, LabelAlign::Left,
             ground});
  }
  sheet.layers.push_back({over(axis, row.y, row.y + row.height), std::move(out)});
}

}  // namespace lanescope::ui
