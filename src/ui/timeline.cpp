#include "ui/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::LaneId;

constexpr float kNameLine = 18;
constexpr float kLeastNameHeight = 9;  // of a lane whose name is written

}  // namespace

void Timeline::prepare(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area) {
  const trace::Trace::ReadLock lock(frame.trace);
  rows_batch_.clear();
  top_batch_.clear();
  names_batch_.clear();
  scrolled_.rows.clear();
  scrolled_.names.clear();
  area_ = area;
  if (frame.layout) sync(frame.trace, frame.layout);
  const RowContext context{frame.trace, frame.analysis, axis, frame.theme, frame.live_edge, frame.scale, frame.live};
  place(context, frame, area);
  add_ruler(frame, axis, area);
  add_lanes(frame, context);
  add_headings(frame);
  add_bubbles(frame, context);
  add_unknown(frame, axis);
  add_open_calls(frame, context);
  add_range(frame, axis, area);
  add_markers(frame, axis, area);
}

void Timeline::add_lanes(const TimelineFrame& frame, const RowContext& context) {
  const TimeAxis& axis = context.axis;
  const float s = frame.scale;
  const float rows_top = area_.y + kRulerHeight * s;
  const float bottom = area_.y + area_.height;
  for (Placed& p : placed_) {
    const float from = p.pinned ? rows_top : fixed_bottom_;
    if (p.height() < 0.5f || p.y > bottom || p.y + p.height() < from) {
      if (p.lane_row) p.lane_row->forget_glyphs();
      continue;
    }
    SpanBatch& out = rows_of(p);
    out.solid(axis.left_px(), p.y, axis.right_px(), p.y + p.height(), frame.theme[Colour::Row]);
    add_name(frame, p);
    if (p.lane_row && frame.average && frame.average->has(p.lane_row->lane())) {
      p.lane_row->forget_glyphs();  // what is drawn is no event of this lane
      frame.average->draw(p.lane_row->lane(), axis, frame.average_at, frame.theme, p.y, p.height(), s, out);
      continue;
    }
    if (p.lane_row) p.lane_row->set_shape(p.shape);
    RowContext own = context;
    own.row_height = p.height();
    p.row->prepare(own, p.y, out);
  }
  // A hairline with a soft shadow: what is above it stays, what is below it passes.
  if (pinned_bottom_ > rows_top) {
    const float shadow = frame.scroll > 0 ? 5 * s : 0;
    for (SpanBatch* batch : {&rows_batch_, &names_batch_}) {
      const bool names = batch == &names_batch_;
      const float x0 = names ? area_.x : axis.left_px();
      const float x1 = names ? axis.left_px() : axis.right_px();
      batch->solid(x0, pinned_bottom_ - s, x1, pinned_bottom_, frame.theme[Colour::Line]);
      for (float y = 0; y < shadow; y += s) {
        batch->solid(x0, pinned_bottom_ + y, x1, pinned_bottom_ + y + s,
                     with_alpha(frame.theme[Colour::Shadow], 0.35f * (1 - y / shadow)));
      }
    }
  }
  if (const std::size_t hidden = hidden_count(); hidden > 0) {
    const std::string says =
        hidden == 1 ? std::string(tr("1 lane hidden")) : fmt::format(fmt::runtime(tr("{} lanes hidden")), hidden);
    names_batch_.add({area_.x + 16 * s, bottom - kHiddenNoteHeight * s + 2 * s, kLabelWidth * s - 20 * s,
                      frame.theme[Colour::Text], FontRole::Small, says, (kHiddenNoteHeight - 6) * s, LabelAlign::Left,
                      frame.theme[Colour::PanelRaised]});
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
    std::string name = p.seat.name;
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
  const bool needs_owner = !p.seat.owner.empty() && (p.pinned || grouping_ != LaneGrouping::Owner);
  const float event = std::min(p.shape.event, p.height());
  const bool two_lines = needs_owner && p.height() >= 30 * s;
  const float line = two_lines ? std::min(std::max(event, 30 * s), p.height()) / 2 : event;
  out.add({x, p.y + (two_lines ? 1 * s : 0), width, frame.theme[p.seat.compact ? Colour::Muted : Colour::Text],
           p.seat.compact ? FontRole::Small : FontRole::Body, p.seat.name, line});
  if (two_lines) {
    out.add({x, p.y + line - s, width, frame.theme[Colour::Dim], FontRole::Small, p.seat.owner, line});
  }
  // Sub-rows belong together: a bracket holds them, and the name stands once.
  const std::size_t rows = frame.trace.lane(p.lane_row->lane()).row_count();
  if (rows > 1 && p.shape.pitch > 0) {
    const float right = area_.x + kLabelWidth * s - 5 * s;
    const std::uint32_t colour = frame.theme[Colour::Faint];
    out.solid(right - s, p.y, right, p.y + p.height(), colour);
    for (const float y : {p.y, p.y + p.height() - s}) out.solid(right - s, y, right + 3 * s, y + s, colour);
    const float under = p.y + (two_lines ? 2 * line : event);
    if (p.y + p.height() - under >= 14 * s) {
      out.add({x, under, width, frame.theme[Colour::Dim], FontRole::Small,
               fmt::format(fmt::runtime(tr("{} sub-rows")), rows), std::min(p.y + p.height() - under, 18 * s)});
    }
  }
}

void Timeline::add_headings(const TimelineFrame& frame) {
  const float s = frame.scale;
  const float bottom = area_.y + area_.height;
  for (const HeadingPlace& heading : headings_) {
    const Rect& r = heading.rect;
    if (r.y > bottom || r.y + r.height < area_.y) continue;
    SpanBatch& out = heading.sticks || !splits_ ? names_batch_ : scrolled_.names;
    out.add({r.x + 28 * s, r.y + r.height - 20 * s, r.width - 52 * s, frame.theme[Colour::Dim], FontRole::SmallBold,
             heading.text, 16 * s});
  }
}

// An averaged event stands for that of the picture that is looked at.
std::optional<TimelineHit> Timeline::hit_average(const TimelineFrame& frame, const TimeAxis& axis, const Placed& p,
                                                 float x, float y) const {
  const LaneId lane = p.lane_row->lane();
  if (!frame.average || !frame.average->has(lane)) return std::nullopt;
  const AverageEvent* found = frame.average->hit(lane, axis, frame.average_at, x, y - p.y, p.height(), frame.scale);
  if (!found || found->row >= frame.trace.lane(lane).row_count()) return std::nullopt;
  const trace::Row& row = frame.trace.lane(lane).row(found->row);
  if (found->index < row.first() || found->index >= row.last()) return std::nullopt;  // gone since
  TimelineHit hit;
  hit.lane = lane;
  hit.averaged = true;
  hit.folded_count = 1;
  hit.event = event_ref(lane, found->row, row, found->index);
  return hit;
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
    if (&p == kernel_row(frame.trace) && frame.analysis) {
      const Nanoseconds t = axis.to_ns(x);
      const auto& bubbles = frame.analysis->bubbles();
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
