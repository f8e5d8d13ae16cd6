#include "picture/compare_bands.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/translate.h"
#include "picture/bands_marks.h"

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
  const std::string verdict = std::string(analysis::verdict_title(run->summary.verdict.kind)) + "   ·   " + length;
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

}  // namespace lanescope::ui
