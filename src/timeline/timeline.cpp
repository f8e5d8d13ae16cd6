#include "timeline/timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/guess_search.h"
#include "base/translate.h"
#include "timeline/mark_shapes.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::LaneId;
using trace::LaneKind;

constexpr float kNameLine = 18;
constexpr float kLeastNameHeight = 9;  // minimum lane height for a name

constexpr float kBubbleMinPx = 5;
constexpr float kTimelineBubbleLabelPx = 30;
constexpr float kIdleLengthPx = 60, kIdleLinePx = 84;  // for the length below the word, and beside it
constexpr float kIdleLine = 16, kIdleTwoLines = 42;
constexpr float kTimelineTextHeight = 13.5f;  // lower lanes have no text
constexpr float kNotRecordedLabelPx = 92;

void dashed_vertical(SpanBatch& out, float x, float y0, float y1, std::uint32_t colour, float scale) {
  for (float y = y0; y < y1; y += 7 * scale) {
    out.solid(x - 0.75f * scale, y, x + 0.75f * scale, std::min(y + 4 * scale, y1), colour);
  }
}

// "idle", and below it how long where there is room for both; 0: that stands elsewhere.
void add_idle_label(const TimelineFrame& frame, const TimeAxis& axis, const Rect& gap, Nanoseconds length,
                    SpanBatch& out) {
  const float s = frame.scale;
  const float left = std::max(gap.x, axis.left_px()) + 3 * s;
  const float width = std::min(gap.x + gap.width, axis.right_px()) - 3 * s - left;
  if (width < kTimelineBubbleLabelPx * s || gap.height < kTimelineTextHeight * s) return;
  const bool two_lines = length > 0 && width >= kIdleLengthPx * s && gap.height >= kIdleTwoLines * s;
  const std::uint32_t colour = frame.theme.as_text(Colour::Bubble);
  const std::string time = base::format_duration(length, kLaneDigits);
  std::string says = tr("idle");
  if (length > 0 && !two_lines && width >= kIdleLinePx * s) says += " " + time;
  out.add({left, two_lines ? gap.y + gap.height / 2 - kIdleLine * s : gap.y, width, colour,
           length > 0 ? FontRole::Small : FontRole::SmallBold, says, two_lines ? kIdleLine * s : gap.height,
           LabelAlign::Centre});
  if (!two_lines) return;
  out.add({left, gap.y + gap.height / 2, width, colour, FontRole::MonoSmall, time, kIdleLine * s, LabelAlign::Centre, 0,
           LabelFit::Name});
}

// The start of an open call's bar, excluding what is already in the trace. Empty: the call has returned.
std::optional<Nanoseconds> open_from(const trace::Trace& trace, const trace::OpenCall& call) {
  const trace::Lane& lane = trace.lane(call.lane);
  Nanoseconds from = call.start_ns;
  for (std::size_t r = 0; r < lane.row_count(); ++r) {
    const trace::Row& row = lane.row(r);
    const trace::EventIndex last = row.last();
    if (last == row.first()) continue;
    if (row.start(last - 1) >= call.start_ns) return std::nullopt;
    if (r == 0) from = std::max(from, row.end(last - 1));
  }
  return from;
}

}  // namespace

// --- over the lanes: ruler, bubbles, the unknown edge, open calls, markers, the selection
// --------------

void Timeline::add_ruler(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area) {
  const float s = frame.scale;
  const Ruler ruler = make_ruler(axis, 84 * s, frame.label_origin, 7.3f * s);
  const float rows_top = area.y + kRulerHeight * s;
  const std::string unit = ruler.base.empty() ? ruler.unit : ruler.unit + "  " + ruler.base;
  top_batch_.add({area.x + 16 * s, area.y + 6 * s, (kLabelWidth - 20) * s, frame.theme[Colour::Muted],
                  FontRole::MonoSmall, unit, 18 * s});
  for (Tick tick : ruler.ticks) {
    tick.px = std::floor(tick.px) + 0.5f;  // on whole pixels, for a crisp line
    if (tick.major) {
      // Behind the lanes: where these scroll, their batch is the lowest.
      for (std::size_t i = 0; i < (divided_ ? kPanes : 1); ++i) {
        SpanBatch& grid = splits_ ? scrolled_[i].rows : rows_batch_;
        grid.solid(tick.px - 0.5f, rows_top_, tick.px + 0.5f, area.y + area.height, frame.theme[Colour::Grid]);
      }
      const float half = 60 * s;
      if (tick.px + 18 * s < axis.right_px()) {
        top_batch_.add({tick.px - half, area.y + 6 * s, 2 * half, frame.theme[Colour::Muted], FontRole::MonoSmall,
                        tick.label, 18 * s, LabelAlign::Centre});
      }
    }
    const float length = (tick.major ? 5 : 3) * s;
    top_batch_.solid(tick.px - 0.5f, rows_top - length, tick.px + 0.5f, rows_top, frame.theme[Colour::Faint]);
  }
}

void Timeline::add_bubbles(const TimelineFrame& frame, const RowContext& context) {
  if (!frame.analysis) return;
  for (std::size_t gpu = 0; gpu < frame.analysis->gpu_count(); ++gpu)
    add_bubbles(frame, context, static_cast<trace::GpuNumber>(gpu));
}

// Bubbles belong to a whole GPU, so they are drawn once per GPU, in its first kernel row, where nothing runs.
void Timeline::add_bubbles(const TimelineFrame& frame, const RowContext& context, trace::GpuNumber gpu) {
  const Placed* kernels = kernel_row(*frame.analysis, gpu);
  if (!kernels) return;
  if (frame.average && frame.average->has(kernels->lane_row->lane())) {
    add_average_bubbles(frame, context.axis, *kernels, gpu);
    return;
  }
  const auto& bubbles = frame.analysis->bubbles(gpu);
  const TimeAxis& axis = context.axis;
  const auto end_of = [&](std::size_t i) { return bubbles[i].end_ns; };
  const Nanoseconds least = std::max<Nanoseconds>(1, axis.length_ns(kBubbleMinPx));
  SpanBatch& out = rows_of(*kernels);
  const float height = kernels->height();
  const float inset = std::min(3 * frame.scale, height * 0.1f);
  std::size_t skipped = 1;  // narrow ones before the last that was looked at; the next are about as many
  std::size_t i = base::first_above(0, bubbles.size(), axis.begin_ns(), end_of);
  for (; i < bubbles.size() && bubbles[i].start_ns < axis.end_ns(); ++i) {
    const analysis::Bubble* b = &bubbles[i];
    if (b->duration() < least) {
      const std::size_t next = base::first_above_near(i + skipped, i + 1, bubbles.size(), b->start_ns + least, end_of);
      skipped = next - i;
      i = next - 1;
      continue;
    }
    const bool edge = b->cause == analysis::BubbleCause::StartOrEnd;
    if (!edge && b->start_ns < frame.live_edge) {
      const float x0 = axis.to_px(b->start_ns);
      const float x1 = axis.to_px(std::min(b->end_ns, frame.live_edge));
      if (x1 - x0 >= kBubbleMinPx) {
        const bool tinted = band_ && band_->stall.gap.gpu == b->gpu && band_->stall.gap.start_ns == b->start_ns;
        SpanBatch& over = tinted ? rows_batch_ : out;
        over.styled(SpanStyle::Dashed, x0 + 1, kernels->y + inset, x1 - 1, kernels->y + height - inset,
                    with_alpha(frame.theme[Colour::BubbleGround], tinted ? 0 : 1), frame.theme[Colour::Bubble],
                    3 * frame.scale);
        const bool banded = tinted && context.banded;
        add_idle_label(frame, axis, {x0, kernels->y, x1 - x0, height}, banded ? 0 : b->duration(), over);
      }
    }
  }
}

// Draws where the GPU is idle in almost all pictures.
void Timeline::add_average_bubbles(const TimelineFrame& frame, const TimeAxis& axis, const Placed& kernels,
                                   trace::GpuNumber gpu) {
  const float s = frame.scale;
  const float height = kernels.height();
  const float inset = std::min(3 * s, height * 0.1f);
  SpanBatch& out = rows_of(kernels);
  for (const AverageIdle& idle : frame.average->idle(gpu)) {
    const float x0 = axis.to_px(frame.average_at + idle.from);
    const float x1 = axis.to_px(frame.average_at + idle.to);
    if (x1 - x0 < kBubbleMinPx || x1 < axis.left_px() || x0 > axis.right_px()) continue;
    const auto presence = static_cast<float>(idle.share);
    out.styled(SpanStyle::Dashed, x0 + 1, kernels.y + inset, x1 - 1, kernels.y + height - inset,
               with_alpha(frame.theme[Colour::BubbleGround], 0.5f * presence),
               with_alpha(frame.theme[Colour::Bubble], presence), 3 * s);
    add_idle_label(frame, axis, {x0, kernels.y, x1 - x0, height}, idle.to - idle.from, out);
  }
}

void Timeline::look_for_missing(const TimelineFrame& frame) {
  const bool any = frame.trace.recorded_in_parts();
  if (owners_of_ != &frame.trace || !any) owners_.reset();
  owners_of_ = any ? &frame.trace : nullptr;
  if (!any) return;
  if (!owners_) owners_ = std::make_unique<trace::Owners>(frame.trace);
  owners_->refresh();
  may_miss_ = frame.trace.extent();
  may_miss_.second = frame.live ? frame.live_edge : std::min(frame.live_edge, may_miss_.second);
}

// A hole in the lane's strip, behind the events: on a lane of calls, those that block are known there, too.
void Timeline::add_not_recorded(const TimelineFrame& frame, const TimeAxis& axis, const Placed& p, SpanBatch& out) {
  if (!frame.trace.recorded_in_parts()) return;
  const Nanoseconds from = std::max(axis.begin_ns(), may_miss_.first), to = std::min(axis.end_ns(), may_miss_.second);
  std::vector<MissingStretch> missing;
  bool calls = false;
  if (!p.lane_row) {
    missing = missing_stretches(frame.trace, axis, from, to);
  } else if (const auto* coverage = coverage_of(frame.trace, *owners_, p.lane_row->lane())) {
    calls = frame.trace.lane(p.lane_row->lane()).info().kind == LaneKind::Calls;
    missing = missing_stretches(*coverage, axis, from, to, calls);
  }
  const float s = frame.scale;
  for (const MissingStretch& stretch : missing) {
    const float x0 = std::max(axis.to_px(stretch.from), axis.left_px());
    const float x1 = std::min(axis.to_px(stretch.to), axis.right_px());
    if (x1 <= x0) continue;
    out.styled(SpanStyle::Unknown, x0, p.y, x1, p.y + p.height(),
               with_alpha(frame.theme[Colour::Ground], stretch.share),
               with_alpha(frame.theme[Colour::Unknown], stretch.share));
    const float left = x0 + 4 * s, right = x1 - 4 * s;
    if (stretch.share < 1 || right - left < kNotRecordedLabelPx * s || p.height() < kTimelineTextHeight * s) continue;
    if (calls && any_event(frame.trace.lane(p.lane_row->lane()), axis.to_ns(left), axis.to_ns(right))) continue;
    out.add({left, p.y, right - left, frame.theme[Colour::Dim], FontRole::Small, tr("not recorded"), p.height(),
             LabelAlign::Centre, frame.theme[Colour::Ground]});
  }
}

void Timeline::add_unknown(const TimelineFrame& frame, const TimeAxis& axis) {
  if (!frame.live || frame.live_edge >= axis.end_ns() || placed_.empty()) return;
  const float x0 = std::max(axis.left_px(), axis.to_px(frame.live_edge));
  const Placed* last = nullptr;
  for (const Placed& p : placed_) {
    if (p.height() <= 0) continue;
    if (!last || p.y > last->y) last = &p;
    rows_of(p).styled(SpanStyle::Unknown, x0, p.y, axis.right_px(), p.y + p.height(),
                      with_alpha(frame.theme[Colour::Unknown], 0), frame.theme[Colour::Unknown]);
  }
  if (!last) return;
  const float s = frame.scale;
  rows_of(*last).add({axis.right_px() - 140 * s, last->y + last->height() + 2 * s, 136 * s, frame.theme[Colour::Dim],
                      FontRole::Small, tr("not yet known"), 16 * s, LabelAlign::Right});
}

// An open call is not in the trace yet: its wait is drawn as it grows, over the unknown part. Whether it costs anything
// is not known.
void Timeline::add_open_calls(const TimelineFrame& frame, const RowContext& context) {
  open_bars_.clear();
  const float s = frame.scale;
  const TimeAxis& axis = context.axis;
  for (const trace::OpenCall& call : frame.open_calls) {
    const Placed* p = find(call.lane);
    if (!p || p->height() < 1) continue;
    const auto from = open_from(frame.trace, call);
    if (!from || *from >= frame.now || !axis.overlaps(*from, frame.now)) continue;
    const float x0 = std::max(axis.to_px(*from), axis.left_px() - 8 * s);
    const float x1 = std::min(axis.to_px(frame.now), axis.right_px() + 8 * s);
    if (x1 - x0 < 1) continue;
    const float height = std::min(p->shape.event, p->height());
    SpanBatch& out = rows_of(*p);
    const Hatching look = wait_hatching(frame.theme, false);
    out.styled(SpanStyle::Hatched, x0, p->y, x1, p->y + height, look.ground, look.ink, x1 - x0 > 8 ? 3 * s : 0);
    // Its right end is open: it fades out.
    constexpr int kSteps = 6;
    const float fade = std::min(30 * s, (x1 - x0) / 2);
    for (int i = 0; i < kSteps; ++i) {
      const float share = static_cast<float>(i + 1) / (kSteps + 1);
      const float left = x1 - fade + fade * static_cast<float>(i) / kSteps;
      out.solid(left, p->y, left + fade / kSteps, p->y + height, with_alpha(frame.theme[Colour::Row], share));
    }
    open_bars_.push_back({{x0, p->y, x1 - x0, height}, call});
    const float left = std::max(x0, axis.left_px()) + 6 * s;
    const float right = std::min(x1, axis.right_px()) - 6 * s;
    if (right - left < 40 * s || height < kTimelineTextHeight * s) continue;
    // The longest text that fits (a letter of this font is about 6.4 pixels wide).
    const std::string so_far = std::string(tr("so far")) + " " + base::format_duration(frame.now - call.start_ns);
    std::string says = std::string(frame.trace.names().text(call.name)) + " " + so_far;
    if (static_cast<float>(says.size()) > (right - left) / (6.4f * s)) says = so_far;
    out.add({left, p->y, right - left, frame.theme[Colour::Text], FontRole::Small, says, height, LabelAlign::Centre,
             frame.theme[Colour::Pill]});
  }
}

void Timeline::add_markers(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area) {
  if (!frame.analysis) return;
  const auto& markers = frame.analysis->markers();
  const float s = frame.scale;
  const auto starts = [](const trace::Event& marker) { return marker.start_ns; };
  const auto first = std::ranges::lower_bound(markers, axis.begin_ns(), {}, starts);
  const auto end = std::ranges::lower_bound(markers, std::min(axis.end_ns(), frame.live_edge + 1), {}, starts);
  if (first >= end) return;
  float drawn = axis.left_px() - 2;
  for (auto marker = first; marker != end; ++marker) {
    const float x = axis.to_px(marker->start_ns);
    if (x < drawn + 1) continue;
    drawn = x;
    dashed_vertical(rows_batch_, x, area.y + kRulerHeight * s, area.y + area.height, frame.theme[Colour::Marker], s);
  }
  for (const MarkerFlag& flag : marker_flags(frame.trace.names(), {first, end}, axis, area.y + 5 * s, 20 * s, s)) {
    top_batch_.add({flag.body.x, flag.body.y, flag.body.width, frame.theme[Colour::Text], FontRole::Small, flag.text,
                    flag.body.height, LabelAlign::Left, frame.theme[Colour::PanelRaised]});
  }
}

void Timeline::add_range(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area) {
  if (!frame.selection) return;
  const Selection& selection = *frame.selection;
  const float s = frame.scale;
  if (selection.range) {
    const float x0 = std::max(axis.to_px(selection.range->first), axis.left_px());
    const float x1 = std::min(axis.to_px(selection.range->second), axis.right_px());
    if (x1 > x0) {
      const float y0 = area.y + kRulerHeight * s;
      const float y1 = area.y + area.height;
      if (selection.lanes.empty()) rows_batch_.solid(x0, y0, x1, y1, frame.theme[Colour::RangeSelection]);
      for (const trace::LaneId lane : selection.lanes) {
        const Placed* p = find(lane);
        if (p) rows_of(*p).solid(x0, p->y, x1, p->y + p->height(), frame.theme[Colour::RangeSelection]);
      }
      rows_batch_.solid(x0 - s, y0, x0, y1, frame.theme[Colour::Accent]);
      rows_batch_.solid(x1, y0, x1 + s, y1, frame.theme[Colour::Accent]);
      // Remove ruler labels that it would partly cover.
      std::erase_if(top_batch_.labels, [&](const Label& label) {
        return label.font == FontRole::MonoSmall && label.align == LabelAlign::Centre &&
               std::abs(label.x + label.max_width / 2 - (x0 + x1) / 2) < 52 * s;
      });
      top_batch_.add({(x0 + x1) / 2 - 80 * s, area.y + 5 * s, 160 * s, frame.theme[Colour::AccentInk],
                      FontRole::SmallBold, base::format_duration(selection.range->second - selection.range->first),
                      20 * s, LabelAlign::Centre, frame.theme[Colour::Accent]});
    }
  }
}

// --- the batch, and the positions of things in it
// --------------------------------------------------------------------------------

void Timeline::prepare(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area) {
  const trace::Trace::ReadLock lock(frame.trace);
  rows_batch_.clear();
  top_batch_.clear();
  names_batch_.clear();
  for (ScrolledLanes& scrolled : scrolled_) {
    scrolled.rows.clear();
    scrolled.names.clear();
  }
  area_ = area;
  if (frame.layout) sync(frame.trace, frame.layout);
  static const Colouring kByKind;
  colours_.begin(frame.trace, frame.theme, frame.colouring ? *frame.colouring : kByKind);
  RowContext context{frame.trace, frame.analysis, axis, frame.theme, frame.live_edge, frame.scale, frame.live};
  context.colours = &colours_;
  stalls_.begin(frame.trace, frame.analysis);
  context.stalls = &stalls_;
  place(context, frame, area);
  place_stall_band(frame, axis);
  if (band_ && band_->label.width > 0) context.banded = &band_->stall;
  for (std::size_t i = 0; i < kPanes; ++i) {
    scrolled_[i].top = panes_[i].fixed_bottom;
    scrolled_[i].bottom = panes_[i].bottom;
  }
  add_ruler(frame, axis, area);
  look_for_missing(frame);
  add_lanes(frame, context);
  add_headings(frame);
  draw_stall_band(frame);
  add_bubbles(frame, context);
  add_unknown(frame, axis);
  add_open_calls(frame, context);
  add_range(frame, axis, area);
  add_markers(frame, axis, area);
  add_iteration(frame, axis, area);
}

// Its length is read off the line; what is around it must not be mistaken for a part of it.
void Timeline::add_iteration(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area) {
  if (!frame.iteration || frame.iteration_says.empty()) return;
  constexpr float kAround = 0.34f;
  const float s = frame.scale;
  const float left = axis.left_px(), right = axis.right_px();
  const float x0 = std::clamp(axis.to_px(frame.iteration->first), left, right);
  const float x1 = std::clamp(axis.to_px(frame.iteration->second), left, right);
  const std::uint32_t veil = with_alpha(frame.theme[Colour::Ground], 1 - kAround);
  rows_batch_.solid(left, rows_top_, x0, area.y + area.height, veil);
  rows_batch_.solid(x1, rows_top_, right, area.y + area.height, veil);
  for (Label& label : rows_batch_.labels) {
    const float at = label.align == LabelAlign::Centre  ? label.x + label.max_width / 2
                     : label.align == LabelAlign::Right ? label.x + label.max_width
                                                        : label.x;
    if (at >= x0 && at <= x1) continue;
    label.colour = mix(frame.theme[Colour::Ground], label.colour, kAround);
    if (label.ground != 0) label.ground = with_alpha(label.ground, kAround);
  }
  const float y = area.y + (kRulerHeight + kIterationLine / 2) * s;
  const std::uint32_t line = frame.theme[Colour::Accent];
  if (axis.to_px(frame.iteration->first) >= left) top_batch_.solid(x0 - s, y - 8 * s, x0 + s, y + 8 * s, line);
  if (axis.to_px(frame.iteration->second) <= right) top_batch_.solid(x1 - s, y - 8 * s, x1 + s, y + 8 * s, line);
  // A letter of this font is about 6.5 pixels wide.
  const float width = static_cast<float>(frame.iteration_says.size()) * 6.5f * s + 12 * s;
  if (width + 40 * s > x1 - x0) {
    top_batch_.solid(x0, y - s, x1, y + s, line);
    return;
  }
  top_batch_.solid(x0, y - s, x0 + 28 * s, y + s, line);
  top_batch_.add(
      {x0 + 38 * s, y - 10 * s, width, frame.theme[Colour::Text], FontRole::SmallBold, frame.iteration_says, 20 * s});
  top_batch_.solid(x0 + 28 * s + width, y - s, x1, y + s, line);
}

void Timeline::add_lanes(const TimelineFrame& frame, const RowContext& context) {
  const TimeAxis& axis = context.axis;
  const float s = frame.scale;
  const float rows_top = rows_top_;
  const float bottom = area_.y + area_.height;
  for (Placed& p : placed_) {
    const float from = fixed(p) ? rows_top : pane_of(p).fixed_bottom;
    const float to = fixed(p) ? bottom : pane_of(p).bottom;
    if (p.height() < 0.5f || p.y > to || p.y + p.height() < from) {
      if (p.lane_row) p.lane_row->forget_glyphs();
      continue;
    }
    SpanBatch& out = rows_of(p);
    out.solid(axis.left_px(), p.y, axis.right_px(), p.y + p.height(), frame.theme[Colour::Row]);
    add_name(frame, p);
    if (!frame.average) add_not_recorded(frame, axis, p, out);
    if (p.lane_row && frame.average && frame.average->has(p.lane_row->lane())) {
      p.lane_row->forget_glyphs();  // what is drawn is not an event of this lane
      frame.average->draw(p.lane_row->lane(), axis, frame.average_at, frame.theme, p.y, p.height(), s, out, &colours_);
      continue;
    }
    RowContext own = context;
    own.row_height = p.height();
    if (p.lane_row) {
      p.lane_row->set_shape(p.shape);
      p.lane_row->prepare(own, p.y, out);
    } else {
      p.curve.prepare(own, p.y, out);
    }
  }
  if (pinned_bottom_ > rows_top) add_fixed_edge(frame, axis, pinned_bottom_, panes_[0].scroll > 0);
  if (divided_) {
    add_fixed_edge(frame, axis, panes_[0].bottom + s, false);
    add_fixed_edge(frame, axis, panes_[1].top, panes_[1].scroll > 0);
  }
  if (const std::size_t hidden = hidden_count(); hidden > 0) {
    const std::string says = hidden == 1 ? std::string(tr("1 lane hidden")) : tr("{} lanes hidden", hidden);
    names_batch_.add({area_.x + 16 * s, bottom - kHiddenNoteHeight * s + 2 * s, kLabelWidth * s - 20 * s,
                      frame.theme[Colour::Text], FontRole::Small, says, (kHiddenNoteHeight - 6) * s, LabelAlign::Left,
                      frame.theme[Colour::PanelRaised]});
  }
}

// A thin line, with a soft shadow if something scrolls under it.
void Timeline::add_fixed_edge(const TimelineFrame& frame, const TimeAxis& axis, float y, bool scrolls) {
  const float s = frame.scale;
  const float shadow = scrolls ? 5 * s : 0;
  for (SpanBatch* batch : {&rows_batch_, &names_batch_}) {
    const bool names = batch == &names_batch_;
    const float x0 = names ? area_.x : axis.left_px();
    const float x1 = names ? axis.left_px() : axis.right_px();
    batch->solid(x0, y - s, x1, y, frame.theme[Colour::Line]);
    for (float below = 0; below < shadow; below += s) {
      batch->solid(x0, y + below, x1, y + below + s,
                   with_alpha(frame.theme[Colour::Shadow], 0.35f * (1 - below / shadow)));
    }
  }
}

void Timeline::add_name(const TimelineFrame& frame, const Placed& p) {
  const float s = frame.scale;
  if (p.group_folded || p.height() < kLeastNameHeight * s) return;
  SpanBatch& out = names_of(p);
  const float x = area_.x + 16 * s;
  const float width = kLabelWidth * s - 24 * s;
  const bool curve = p.lane_row == nullptr;
  if (curve || p.folded()) {
    const bool small = p.folded() || p.height() < 2.5f * kNameLine * s;
    std::string name = curve && small ? tr("in flight") : p.entry.name;
    if (small) std::replace(name.begin(), name.end(), '\n', ' ');
    float y = p.y + (small ? 0 : 6 * s);
    for (std::size_t begin = 0; begin <= name.size();) {
      const std::size_t end = std::min(name.find('\n', begin), name.size());
      out.add({x, y, width, frame.theme[Colour::Muted], FontRole::Small, name.substr(begin, end - begin),
               small ? p.height() : kNameLine * s});
      y += kNameLine * s;
      begin = end + 1;
    }
    return;
  }
  // The name of the thread or the stream, which has no heading then.
  const auto gpu = std::ranges::find_if(placed_, [](const Placed& other) { return other.shown() && other.entry.gpu; });
  const bool heads = plain_ && (p.first || (gpu != placed_.end() && &*gpu == &p));
  if (heads) {
    const bool both = p.height() >= 2 * kNameLine * s;
    const float line = both ? kNameLine * s : p.height();
    const float y = p.y + (both ? (p.height() - 2 * line) / 2 : 0);
    out.add({x, y, width, frame.theme.as_text(p.entry.gpu ? Colour::Kernel : Colour::Launch), FontRole::BodyBold,
             p.entry.gpu ? tr("GPU") : tr("CPU"), line});
    if (both) out.add({x, y + line, width, frame.theme[Colour::Muted], FontRole::Small, p.entry.name, line});
    return;
  }
  // Below it its owner, or what comes after a comma in it: "CUDA calls, pin thread".
  std::string name = p.entry.name;
  std::string owner = p.pinned || grouping_ != LaneGrouping::Owner ? p.entry.owner : std::string();
  const float event = std::min(p.shape.event, p.height());
  const bool room_for_two = p.height() >= 30 * s;
  const std::size_t comma = name.find(", ");
  if (comma != std::string::npos && owner.empty() && (room_for_two || p.entry.compact)) {
    owner = name.substr(comma + 2);
    name.resize(comma);
  }
  const bool two_lines = room_for_two && !owner.empty();
  const float line = two_lines ? std::min(std::max(event, 30 * s), p.height()) / 2 : event;
  out.add({x, p.y + (two_lines ? 1 * s : 0), width, frame.theme[p.entry.compact ? Colour::Muted : Colour::Text],
           p.entry.compact ? FontRole::Small : FontRole::Body, name, line});
  if (two_lines) {
    out.add({x, p.y + line - s, width, frame.theme[Colour::Dim], FontRole::Small, owner, line});
  }
  // A bracket joins the sub-rows, which share one name.
  const std::size_t rows = frame.trace.lane(p.lane_row->lane()).row_count();
  if (rows > 1 && p.shape.pitch > 0) {
    const float right = area_.x + kLabelWidth * s - 5 * s;
    const std::uint32_t colour = frame.theme[Colour::Faint];
    out.solid(right - s, p.y, right, p.y + p.height(), colour);
    for (const float y : {p.y, p.y + p.height() - s}) out.solid(right - s, y, right + 3 * s, y + s, colour);
    const float under = p.y + (two_lines ? 2 * line : event);
    if (p.y + p.height() - under >= 14 * s) {
      out.add({x, under, width, frame.theme[Colour::Dim], FontRole::Small, tr("{} sub-rows", rows),
               std::min(p.y + p.height() - under, 18 * s)});
    }
  }
}

void Timeline::add_headings(const TimelineFrame& frame) {
  const float s = frame.scale;
  const float bottom = area_.y + area_.height;
  for (const HeadingPlace& heading : headings_) {
    const Rect& r = heading.rect;
    if (r.y > bottom || r.y + r.height < area_.y) continue;
    SpanBatch& out = heading.sticks || !splits_ ? names_batch_ : scrolled_of(heading.pane).names;
    out.add({r.x + 28 * s, r.y + r.height - 20 * s, r.width - 52 * s, frame.theme[Colour::Dim], FontRole::SmallBold,
             heading.text, 16 * s});
  }
}

// An averaged event represents the same event in the current picture.
std::optional<TimelineHit> Timeline::hit_average(const TimelineFrame& frame, const TimeAxis& axis, const Placed& p,
                                                 float x, float y) const {
  const LaneId lane = p.lane_row->lane();
  if (!frame.average || !frame.average->has(lane)) return std::nullopt;
  const AverageEvent* found = frame.average->hit(lane, axis, frame.average_at, x, y - p.y, p.height(), frame.scale);
  if (!found || found->row >= frame.trace.lane(lane).row_count()) return std::nullopt;
  const trace::Row& row = frame.trace.lane(lane).row(found->row);
  if (found->index < row.first() || found->index >= row.last()) return std::nullopt;  // evicted meanwhile
  TimelineHit hit;
  hit.lane = lane;
  hit.averaged = true;
  hit.folded_count = 1;
  hit.event = event_ref(lane, found->row, row, found->index);
  return hit;
}

std::optional<NotRecordedHit> Timeline::not_recorded_at(const TimelineFrame& frame, const TimeAxis& axis, float x,
                                                        float y) const {
  if (!frame.trace.recorded_in_parts() || frame.average) return std::nullopt;
  const trace::Trace::ReadLock lock(frame.trace);
  const Nanoseconds t = axis.to_ns(x);
  if (t < may_miss_.first || t >= may_miss_.second || owners_of_ != &frame.trace) return std::nullopt;
  for (const Placed& p : placed_) {
    if (y < p.y || y >= p.y + p.height() || covered(p, y)) continue;
    if (!p.lane_row) continue;
    const LaneId lane = p.lane_row->lane();
    const trace::Coverage* coverage = coverage_of(frame.trace, *owners_, lane);
    if (!coverage) return std::nullopt;
    const bool calls = frame.trace.lane(lane).info().kind == LaneKind::Calls;
    if (calls ? coverage->calls_recorded(t) : coverage->recorded(t)) return std::nullopt;
    return NotRecordedHit{lane, t, coverage->bursts()};
  }
  return std::nullopt;
}

std::optional<TimelineHit> Timeline::hit(const TimelineFrame& frame, const TimeAxis& axis, float x, float y) const {
  const trace::Trace::ReadLock lock(frame.trace);
  for (const OpenBar& bar : open_bars_) {
    const Rect& r = bar.rect;
    if (x < r.x || x >= r.x + r.width || y < r.y || y >= r.y + r.height) continue;
    const Placed* p = find(bar.call.lane);
    if (!p || covered(*p, y)) continue;
    TimelineHit hit;
    hit.lane = bar.call.lane;
    hit.open = bar.call;
    return hit;
  }
  for (const Placed& p : placed_) {
    if (y < p.y || y >= p.y + p.height() || !p.lane_row || covered(p, y)) continue;
    const LaneId lane = p.lane_row->lane();
    if (const auto averaged = hit_average(frame, axis, p, x, y)) return averaged;
    if (const auto found = p.lane_row->hit(x, y - p.y)) {
      const trace::Row& row = frame.trace.lane(lane).row(found->row);
      if (found->first < row.first()) return std::nullopt;  // evicted since it was drawn
      TimelineHit hit;
      hit.lane = lane;
      hit.folded_count = static_cast<std::int64_t>(found->last - found->first);
      hit.folded_from = row.start(found->first);
      hit.folded_to = row.end(found->last - 1);
      if (found->single()) {
        hit.event = EventRef{lane, found->row, found->first, row.event(found->first)};
        hit.event->event.lane = lane;
      } else if (hit.folded_to > hit.folded_from) {
        hit.folded_busy = static_cast<double>(row.busy_ns(found->first, found->last)) /
                          static_cast<double>(hit.folded_to - hit.folded_from);
      }
      return hit;
    }
    const trace::GpuNumber gpu = frame.analysis ? frame.analysis->links().owners().gpu_of(lane) : trace::kNobody;
    if (gpu != trace::kNobody && &p == kernel_row(*frame.analysis, gpu)) {
      const Nanoseconds t = axis.to_ns(x);
      const auto& bubbles = frame.analysis->bubbles(gpu);
      const auto b =
          std::lower_bound(bubbles.begin(), bubbles.end(), t,
                           [](const analysis::Bubble& bubble, Nanoseconds at) { return bubble.end_ns <= at; });
      if (b != bubbles.end() && b->start_ns <= t) {
        TimelineHit hit;
        hit.lane = lane;
        hit.bubble = *b;
        return hit;
      }
    }
  }
  return std::nullopt;
}

}  // namespace lanescope::ui
