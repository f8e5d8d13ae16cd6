#include "picture/compare_bands.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/translate.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kRuler = 24, kHead = 28, kMarks = 22, kMarksGap = 3, kDifference = 28, kBelow = 4;
constexpr float kBadge = 20;
constexpr float kFixed = kRuler + 2 * (kHead + kMarks + kMarksGap) + kDifference + kBelow;
constexpr std::array<float, 6> kBandsFactors{CompareBands::kTallest, 1.25f, 1, 0.85f, 0.7f, 0.6f};
constexpr float kBandsLeastLanes = 120;  // minimum height of each side's lanes, if they need more
constexpr float kNoLanes = 90;           // B's height while there is no B
constexpr float kTimelineBelow = 18;     // the margin a timeline leaves below its last lane
constexpr double kTypicalNear = 0.02;    // relative difference below which the typical iteration equals the mean

// "161.9 µs per iteration"; mentions the typical one if its length differs.
std::string bands_length_text(const RunSnapshot& run) {
  if (run.whole) return base::duration_text(run.mean_ns());
  if (!run.summary.pace.known()) return analysis::basis_text(run.summary.pace.basis);
  const auto typical = static_cast<double>(run.typical_iteration().duration());
  if (std::abs(typical - run.mean_ns()) <= kTypicalNear * run.mean_ns()) {
    return tr("{} per iteration", base::duration_text(run.mean_ns()));
  }
  return tr("{} per iteration on average; this one takes the CPU {}", base::duration_text(run.mean_ns()),
            base::duration_text(typical));
}

void add_head(const BandsScene& scene, std::size_t side, bool mixed, const Rect& r, SpanBatch& out) {
  const float s = scene.scale;
  const RunSnapshot* run = scene.side(side);
  const float badge = kBadge * s;
  add_side_badge(out, scene.theme, side, r.x + 16 * s, r.y + (r.height - badge) / 2, badge, run != nullptr);
  const float x = r.x + 16 * s + badge + 10 * s;
  const float end = r.x + r.width - CompareBands::kRightMargin * s;
  if (!run) return;
  std::string says = side == kSideA ? scene.texts.a : scene.texts.b;
  if (mixed) says += std::string("  ") + (run->facts.simulated ? tr("(simulated)") : tr("(measured)"));
  const std::string length = bands_length_text(*run);
  const std::string verdict = analysis::verdict_title(run->summary.verdict) + "   ·   " + length;
  const float own = text_width(scene.fonts, FontRole::BodyBold, says);
  const float gap = 20 * s;
  // From the longest text to the shortest; the run's label comes first.
  std::string right = verdict;
  for (const std::string& shorter :
       {length, run->mean_ns() > 0 ? base::duration_text(run->mean_ns()) : std::string("–")}) {
    if (own + gap + text_width(scene.fonts, FontRole::Body, right) > end - x) right = shorter;
  }
  const float width = text_width(scene.fonts, FontRole::Body, right) + 2;
  out.add({end - width, r.y, width, scene.theme[Colour::Text], FontRole::Body, right, r.height, LabelAlign::Right});
  out.add({x, r.y, end - width - gap - x, scene.theme[Colour::Text], FontRole::BodyBold, says, r.height});
}

}  // namespace

Colour side_colour(std::size_t side) { return side == kSideA ? Colour::Muted : Colour::Accent; }

void add_side_badge(SpanBatch& out, const Theme& theme, std::size_t side, float x, float y, float size, bool there) {
  const float rounding = size * 0.2f;
  if (there) {
    out.solid(x, y, x + size, y + size, theme[side_colour(side)], rounding);
  } else {
    out.styled(SpanStyle::Dashed, x, y, x + size, y + size, with_alpha(theme[Colour::Ground], 0),
               theme[side_colour(side)], rounding);
  }
  out.add({x, y, size, there ? theme.ink_on(side_colour(side)) : theme.as_text(side_colour(side)), FontRole::SmallBold,
           side == kSideA ? "A" : "B", size, LabelAlign::Centre});
}

void CompareBands::clear() { lanes_ = {}; }

// The iteration's number and length are written over the lanes; the run-ahead curve is left out to save space.
void CompareBands::lay_out(const RunSnapshot& run, Lanes& lanes, float factor) const {
  if (lanes.of == run.number && lanes.factor == factor) return;
  if (lanes.of != run.number) {
    lanes.timeline.clear();
    lanes.heights.clear();
  }
  lanes.of = run.number;
  lanes.factor = factor;
  lanes.layout.set_grouping(LaneGrouping::None);
  const std::vector<std::string> keys = lane_keys(*run.trace);
  for (std::size_t l = 0; l < keys.size(); ++l) {
    LaneChoice choice;
    choice.hidden =
        !run.whole && run.trace->lane(static_cast<trace::LaneId>(l)).info().kind == trace::LaneKind::Iterations;
    choice.height = factor;
    lanes.layout.set(keys[l], choice);
  }
  LaneChoice curve;
  curve.hidden = true;
  lanes.layout.set(kRunAheadKey, curve);
  lanes.timeline.sync(*run.trace, &lanes.layout);
}

TimelineFrame CompareBands::frame(const BandsScene& scene, const RunSnapshot& run) const {
  TimelineFrame frame{*run.trace, run.analysis.get(), scene.theme, run.trace->complete_until()};
  frame.scale = scene.scale;
  frame.colouring = scene.colouring;
  return frame;
}

float CompareBands::lanes_height(const BandsScene& scene, std::size_t side, float factor) {
  const RunSnapshot* run = scene.side(side);
  if (!run) return kNoLanes * scene.scale;
  const float s = scene.scale;
  Lanes& lanes = lanes_[side];
  if (lanes.of == run->number) {
    if (const auto known = lanes.heights.find({factor, s}); known != lanes.heights.end()) return known->second;
  }
  lay_out(*run, lanes, factor);
  TimelineFrame shown = frame(scene, *run);
  shown.layout = &lanes.layout;
  const float all = lanes.timeline.content_height(shown, TimeAxis(0, 1000, 0, 100));
  const float hidden = lanes.timeline.hidden_count() > 0 ? Timeline::kHiddenNoteHeight : 0;
  const float height = std::max(20 * s, std::ceil(all - (Timeline::kRulerHeight + kTimelineBelow + hidden) * s));
  lanes.heights[{factor, s}] = height;
  return height;
}

float CompareBands::height_at(const BandsScene& scene, float factor) {
  return std::ceil(kFixed * scene.scale + lanes_height(scene, kSideA, factor) + lanes_height(scene, kSideB, factor));
}

float CompareBands::fitting_height(const BandsScene& scene, float most) {
  for (const float factor : kBandsFactors) {
    const float height = height_at(scene, factor);
    if (height <= most || factor <= 1) return height;
  }
  return height_at(scene, 1);
}

float CompareBands::least_height(const BandsScene& scene) {
  const float most = kBandsLeastLanes * scene.scale;
  return kFixed * scene.scale + std::min(most, lanes_height(scene, kSideA, kBandsFactors.back())) +
         std::min(most, lanes_height(scene, kSideB, kBandsFactors.back()));
}

// Of each side, one iteration has a band for its costliest stall.
std::pair<Nanoseconds, Nanoseconds> typical_in(const Alignment& alignment, std::size_t side,
                                               const Alignment::Piece& piece) {
  const Alignment::Mark* typical = alignment.mark(side, 0);
  if (!typical || typical->from < piece.at || typical->from >= piece.until) return {};
  const Nanoseconds from = piece.source_ns + (typical->from - piece.at);
  return {from, from + (typical->to - typical->from)};
}

void CompareBands::add_lanes(const BandsScene& scene, std::size_t side, const TimeAxis& axis, const Rect& area,
                             PictureSheet& sheet) {
  const RunSnapshot& run = *scene.side(side);
  const float s = scene.scale;
  Lanes& lanes = lanes_[side];
  lay_out(run, lanes, factor_);
  lanes.y = area.y;
  lanes.height = area.height;
  TimelineFrame shown = frame(scene, run);
  shown.layout = &lanes.layout;
  shown.scroll = scroll_;
  // The timeline's own ruler would be above the lanes; it is not drawn.
  const float ruler = Timeline::kRulerHeight * s;
  const Rect place{area.x, area.y - ruler, area.width, 20'000};
  bool named = false;
  const auto prepare = [&](const TimeAxis& own) {
    lanes.timeline.prepare(shown, own, place);
    if (!std::exchange(named, true)) {
      sheet.layers.push_back({{area.x, area.y, axis.left_px() - area.x, area.height}, lanes.timeline.names()});
    }
  };
  for (const Alignment::Piece& piece : scene.alignment.pieces(side)) {
    const auto own = axis_of(piece, axis);
    if (!own) continue;
    shown.label_origin = label_origin(scene.alignment, piece);
    shown.iteration = typical_in(scene.alignment, side, piece);
    prepare(*own);
    sheet.layers.push_back({{own->left_px(), area.y, own->width_px(), area.height}, lanes.timeline.rows()});
  }
  if (!named) prepare(axis);
}

BandsPlaces CompareBands::compose(const BandsScene& scene, const TimeAxis& axis, const Rect& area, float scroll,
                                  PictureSheet& sheet) {
  const float s = scene.scale;
  const float room = std::max(60 * s, area.height - kFixed * s);
  std::array<float, 2> wanted{};
  for (const float factor : kBandsFactors) {
    wanted = {lanes_height(scene, kSideA, factor), lanes_height(scene, kSideB, factor)};
    factor_ = factor;
    if (wanted[0] + wanted[1] <= room) break;
  }
  std::array<float, 2> heights = wanted;
  BandsPlaces places;
  if (wanted[0] + wanted[1] > room) {
    // Equal heights, unless one side needs less.
    heights[0] = std::min(wanted[0], std::max(room / 2, room - wanted[1]));
    heights[1] = std::min(wanted[1], room - heights[0]);
    places.overflow = std::max(wanted[0] - heights[0], wanted[1] - heights[1]);
  }
  scroll_ = std::clamp(scroll, 0.0f, places.overflow);
  float y = area.y;
  const auto take = [&](float height) {
    const Rect r{area.x, y, area.width, height};
    y += height;
    return r;
  };
  places.ruler = take(kRuler * s);
  for (std::size_t side = 0; side < 2; ++side) {
    if (side == kSideB) places.difference = take(kDifference * s);
    places.heads[side] = take(kHead * s);
    places.marks[side] = take(kMarks * s);
    y += kMarksGap * s;
    places.lanes[side] = take(heights[side]);
  }
  const bool mixed = scene.b && scene.b->facts.simulated != scene.a.facts.simulated;
  SpanBatch heads;
  for (std::size_t side = 0; side < 2; ++side) {
    add_head(scene, side, mixed, places.heads[side], heads);
    if (scene.side(side)) add_lanes(scene, side, axis, places.lanes[side], sheet);
  }
  if (!scene.b) {
    const Rect& r = places.lanes[kSideB];
    heads.add({r.x + 16 * s, r.y - kMarks * s, r.width - 32 * s, scene.theme[Colour::Muted], FontRole::Title,
               scene.hint, r.height, LabelAlign::Centre});
  }
  add_bands_ruler(scene, axis, places, sheet);
  add_iteration_marks(scene, axis, places, sheet);
  if (scene.b) add_bracket(scene, axis, places, sheet);
  sheet.layers.push_back({area, std::move(heads)});
  return places;
}

std::optional<BandsHit> CompareBands::hit(const BandsScene& scene, const TimeAxis& axis, float x, float y) {
  for (std::size_t side = 0; side < 2; ++side) {
    const RunSnapshot* run = scene.side(side);
    Lanes& lanes = lanes_[side];
    if (!run || y < lanes.y || y >= lanes.y + lanes.height) continue;
    for (const Alignment::Piece& piece : scene.alignment.pieces(side)) {
      const auto own = axis_of(piece, axis);
      if (!own || x < own->left_px() || x >= own->right_px()) continue;
      lay_out(*run, lanes, factor_);
      TimelineFrame shown = frame(scene, *run);
      shown.layout = &lanes.layout;
      shown.scroll = scroll_;
      const float ruler = Timeline::kRulerHeight * scene.scale;
      lanes.timeline.prepare(shown, *own, {own->left_px(), lanes.y - ruler, own->width_px(), 20'000});
      const auto found = lanes.timeline.hit(shown, *own, x, y);
      if (!found) return std::nullopt;
      const Nanoseconds start = found->event ? found->event->event.start_ns : found->folded_from;
      return BandsHit{side, *found, start - label_origin(scene.alignment, piece)};
    }
  }
  return std::nullopt;
}

// --- bands marks -----------------------------------------------------------------------------------------------------

namespace {

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
