#include "ui/timeline.h"

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "ui/lane_order.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::LaneId;
using trace::LaneInfo;
using trace::LaneKind;

constexpr float kRowGap = 6;
constexpr float kCompactGap = 2;
constexpr float kHeadingHeight = 24;
constexpr float kGroupGap = 12;
constexpr float kBubbleMinPx = 5;
constexpr float kBubbleLabelPx = 30;

bool has_row(const LaneInfo& info) {
  return trace::is_cpu_lane(info.kind) || trace::is_gpu_work_lane(info.kind) || info.kind == LaneKind::GpuRanges;
}

void dashed_vertical(SpanBatch& out, float x, float y0, float y1, std::uint32_t colour, float scale) {
  for (float y = y0; y < y1; y += 7 * scale) {
    out.solid(x - 0.75f * scale, y, x + 0.75f * scale, std::min(y + 4 * scale, y1), colour);
  }
}

// Where an open call's bar begins: nothing that is in the trace already is drawn again. Empty: the call has come back.
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

std::string marker_text(std::string_view first, std::string_view last) {
  constexpr std::string_view kArrow = " → ";
  const auto split = [&](std::string_view text) {
    const std::size_t arrow = text.find(kArrow);
    return arrow == std::string_view::npos || text.find(kArrow, arrow + 1) != std::string_view::npos
               ? std::string_view::npos
               : arrow;
  };
  const std::size_t a = split(first);
  const std::size_t b = split(last);
  if (a == std::string_view::npos || b == std::string_view::npos) return std::string(first);
  const auto knob = [](std::string_view text) { return text.substr(0, text.rfind(' ')); };
  if (knob(first.substr(0, a)) != knob(last.substr(0, b))) return std::string(first);
  return std::string(first.substr(0, a)) + std::string(last.substr(b));
}

void Timeline::clear() {
  placed_.clear();
  lanes_seen_ = 0;
}

void Timeline::sync(const trace::Trace& trace) {
  if (trace.lane_count() == lanes_seen_ && !placed_.empty()) return;
  rebuild(trace);
}

void Timeline::rebuild(const trace::Trace& trace) {
  lanes_seen_ = trace.lane_count();
  placed_.clear();
  std::vector<LaneId> lanes;
  Threads threads;
  for (std::size_t l = 0; l < lanes_seen_; ++l) {
    const LaneInfo& info = trace.lane(static_cast<LaneId>(l)).info();
    if (has_row(info)) lanes.push_back(static_cast<LaneId>(l));
    if (info.kind == LaneKind::Iterations) threads.iterating.insert({info.pid, info.tid});
    if (info.kind == LaneKind::Calls) threads.calling.insert({info.pid, info.tid});
  }
  std::sort(lanes.begin(), lanes.end(), [&](LaneId a, LaneId b) {
    return order_of(trace.lane(a).info(), threads) < order_of(trace.lane(b).info(), threads);
  });
  const auto count_owners = [&](bool cpu) {
    std::vector<Owner> owners;
    for (const LaneId l : lanes) {
      const LaneInfo& info = trace.lane(l).info();
      if (trace::is_cpu_lane(info.kind) != cpu || threads.helps(info)) continue;
      const Owner owner = cpu ? Owner{info.pid, info.tid} : Owner{info.device, info.stream};
      if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
    }
    return owners.size();
  };
  const bool several_threads = count_owners(true) > 1;
  const bool several_streams = count_owners(false) > 1;

  std::string group;
  bool gpu_begun = false;
  for (const LaneId l : lanes) {
    const LaneInfo& info = trace.lane(l).info();
    const bool cpu = trace::is_cpu_lane(info.kind);
    std::string heading = cpu ? tr("CPU") : tr("GPU");
    const bool helps = threads.helps(info);
    if (helps) {
      heading = tr("THREADS");
    } else if (cpu && several_threads) {
      heading += " · " + info.process + " · " + tr("thread") + " " + std::to_string(info.tid);
    }
    if (!cpu && several_streams) {
      heading += " " + std::to_string(info.device) + " · " + tr("stream") + " " + std::to_string(info.stream);
    }
    if (!cpu && !gpu_begun) {
      gpu_begun = true;
      Placed curve;
      curve.row = std::make_unique<RunAheadRow>();
      curve.heading = tr("RUN-AHEAD");
      curve.label = tr("launches\nin flight");
      placed_.push_back(std::move(curve));
    }
    Placed placed;
    auto row = std::make_unique<LaneRow>(l, helps);
    placed.compact = helps;
    placed.lane_row = row.get();
    placed.row = std::move(row);
    placed.heading = heading != group ? heading : "";
    placed.label = info.name;
    group = heading;
    placed_.push_back(std::move(placed));
  }
}

float Timeline::gap_after(const Placed& p) { return p.compact ? kCompactGap : kRowGap; }

float Timeline::height_before(const Placed& p, bool first, float scale) {
  return p.heading.empty() ? 0 : (first ? kHeadingHeight - 2 : kHeadingHeight + kGroupGap) * scale;
}

void Timeline::place(const RowContext& context, float top) {
  float y = top;
  for (Placed& p : placed_) {
    p.y = y + height_before(p, &p == &placed_.front(), context.scale);
    p.height = p.row->height(context);
    y = p.y + p.height + gap_after(p) * context.scale;
  }
}

float Timeline::content_height(const TimelineFrame& frame, const TimeAxis& axis) const {
  const RowContext context{frame.trace, frame.analysis, axis, frame.theme, frame.live_edge, frame.scale, frame.live};
  float height = (kRulerHeight + 18) * frame.scale;
  for (const Placed& p : placed_) {
    height +=
        height_before(p, &p == &placed_.front(), frame.scale) + p.row->height(context) + gap_after(p) * frame.scale;
  }
  return height;
}

void Timeline::prepare(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area) {
  const trace::Trace::ReadLock lock(frame.trace);
  rows_batch_.clear();
  top_batch_.clear();
  names_batch_.clear();
  area_ = area;
  const RowContext context{frame.trace, frame.analysis, axis, frame.theme, frame.live_edge, frame.scale, frame.live};
  const float rows_top = area.y + kRulerHeight * frame.scale;
  const float bottom = area.y + area.height;
  place(context, rows_top - frame.scroll);
  add_ruler(frame, axis, area);
  for (Placed& p : placed_) {
    if (p.y > bottom || p.y + p.height < rows_top) continue;
    const float s = frame.scale;
    if (!p.heading.empty()) {
      names_batch_.add({area.x + 16 * s, p.y - 20 * s, area.width - 40 * s, frame.theme[Colour::Dim],
                        FontRole::SmallBold, p.heading, 16 * s});
    }
    const bool curve = p.lane_row == nullptr;
    rows_batch_.solid(axis.left_px(), p.y, axis.right_px(), p.y + p.height, frame.theme[Colour::Row]);
    float label_y = p.y;
    float label_height = p.lane_row ? p.lane_row->event_height(context) : p.height / 2;
    for (std::size_t begin = 0; begin <= p.label.size();) {
      const std::size_t end = std::min(p.label.find('\n', begin), p.label.size());
      names_batch_.add({area.x + 16 * s, label_y + (curve ? 6 * s : 0), kLabelWidth * s - 24 * s,
                        frame.theme[curve || p.compact ? Colour::Muted : Colour::Text],
                        curve || p.compact ? FontRole::Small : FontRole::Body, p.label.substr(begin, end - begin),
                        curve ? 18 * s : label_height});
      label_y += 18 * s;
      begin = end + 1;
    }
    p.row->prepare(context, p.y, rows_batch_);
  }
  add_bubbles(frame, context);
  add_unknown(frame, axis);
  add_open_calls(frame, context);
  add_range(frame, axis, area);
  add_markers(frame, axis, area);
}

void Timeline::add_ruler(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area) {
  const float s = frame.scale;
  const Ruler ruler = make_ruler(axis, 84 * s, frame.label_origin, 7.3f * s);
  const float rows_top = area.y + kRulerHeight * s;
  const std::string unit = ruler.base.empty() ? ruler.unit : ruler.unit + "  " + ruler.base;
  top_batch_.add({area.x + 16 * s, area.y + 6 * s, (kLabelWidth - 20) * s, frame.theme[Colour::Muted],
                  FontRole::MonoSmall, unit, 18 * s});
  for (Tick tick : ruler.ticks) {
    tick.px = std::floor(tick.px) + 0.5f;  // on whole pixels: a crisp line
    if (tick.major) {
      rows_batch_.solid(tick.px - 0.5f, rows_top, tick.px + 0.5f, area.y + area.height, frame.theme[Colour::Grid]);
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

const Timeline::Placed* Timeline::kernel_row(const trace::Trace& trace) const {
  for (const Placed& p : placed_) {
    if (p.lane_row && trace.lane(p.lane_row->lane()).info().kind == LaneKind::Kernels) return &p;
  }
  return nullptr;
}

// Bubbles are of the whole GPU, so they are drawn once, in the first row of kernels, where nothing runs.
void Timeline::add_bubbles(const TimelineFrame& frame, const RowContext& context) {
  const Placed* kernels = kernel_row(frame.trace);
  if (!kernels || !frame.analysis) return;
  const auto& bubbles = frame.analysis->bubbles();
  const TimeAxis& axis = context.axis;
  const auto ends_after = [&](auto from, Nanoseconds t) {
    return std::lower_bound(from, bubbles.end(), t,
                            [](const analysis::Bubble& b, Nanoseconds at) { return b.end_ns <= at; });
  };
  const Nanoseconds least = std::max<Nanoseconds>(1, axis.length_ns(kBubbleMinPx));
  const float inset = 3 * frame.scale;
  for (auto b = ends_after(bubbles.begin(), axis.begin_ns()); b != bubbles.end() && b->start_ns < axis.end_ns();) {
    const bool edge = b->cause == analysis::BubbleCause::StartOrEnd;
    if (b->duration() < least) {
      b = ends_after(std::next(b), b->start_ns + least);
      continue;
    }
    if (!edge && b->start_ns < frame.live_edge) {
      const float x0 = axis.to_px(b->start_ns);
      const float x1 = axis.to_px(std::min(b->end_ns, frame.live_edge));
      if (x1 - x0 >= kBubbleMinPx) {
        rows_batch_.styled(SpanStyle::Dashed, x0 + 1, kernels->y + inset, x1 - 1, kernels->y + kernels->height - inset,
                           frame.theme[Colour::BubbleGround], frame.theme[Colour::Bubble], 3 * frame.scale);
        const float left = std::max(x0, axis.left_px()) + 3 * frame.scale;
        const float right = std::min(x1, axis.right_px()) - 3 * frame.scale;
        if (right - left >= kBubbleLabelPx * frame.scale) {
          std::string text = tr("idle");
          if (right - left > 76 * frame.scale) text += " " + base::format_duration(b->duration());
          rows_batch_.add({left, kernels->y, right - left, frame.theme[Colour::Bubble], FontRole::Small, text,
                           kernels->height, LabelAlign::Centre});
        }
      }
    }
    ++b;
  }
}

void Timeline::add_unknown(const TimelineFrame& frame, const TimeAxis& axis) {
  if (!frame.live || frame.live_edge >= axis.end_ns() || placed_.empty()) return;
  const float x0 = std::max(axis.left_px(), axis.to_px(frame.live_edge));
  for (const Placed& p : placed_) {
    rows_batch_.styled(SpanStyle::Unknown, x0, p.y, axis.right_px(), p.y + p.height,
                       with_alpha(frame.theme[Colour::Unknown], 0), frame.theme[Colour::Unknown]);
  }
  const float s = frame.scale;
  const Placed& last = placed_.back();
  rows_batch_.add({axis.right_px() - 140 * s, last.y + last.height + 2 * s, 136 * s, frame.theme[Colour::Dim],
                   FontRole::Small, tr("not yet known"), 16 * s, LabelAlign::Right});
}

// A call that is not back yet is in no trace: its wait is drawn while it grows, over what is not known yet.
void Timeline::add_open_calls(const TimelineFrame& frame, const RowContext& context) {
  open_bars_.clear();
  const float s = frame.scale;
  const TimeAxis& axis = context.axis;
  for (const trace::OpenCall& call : frame.open_calls) {
    const auto p = std::find_if(placed_.begin(), placed_.end(), [&](const Placed& placed) {
      return placed.lane_row && placed.lane_row->lane() == call.lane;
    });
    if (p == placed_.end()) continue;
    const auto from = open_from(frame.trace, call);
    if (!from || *from >= frame.now || !axis.overlaps(*from, frame.now)) continue;
    const float x0 = std::max(axis.to_px(*from), axis.left_px() - 8 * s);
    const float x1 = std::min(axis.to_px(frame.now), axis.right_px() + 8 * s);
    if (x1 - x0 < 1) continue;
    const float height = p->lane_row->event_height(context);
    rows_batch_.styled(SpanStyle::Hatched, x0, p->y, x1, p->y + height, frame.theme[Colour::WaitGround],
                       frame.theme[Colour::Wait], x1 - x0 > 8 ? 3 * s : 0);
    // Its right end is open: it fades into what is to come.
    constexpr int kSteps = 6;
    const float fade = std::min(30 * s, (x1 - x0) / 2);
    for (int i = 0; i < kSteps; ++i) {
      const float share = static_cast<float>(i + 1) / (kSteps + 1);
      const float left = x1 - fade + fade * static_cast<float>(i) / kSteps;
      rows_batch_.solid(left, p->y, left + fade / kSteps, p->y + height, with_alpha(frame.theme[Colour::Row], share));
    }
    open_bars_.push_back({{x0, p->y, x1 - x0, height}, call});
    const float left = std::max(x0, axis.left_px()) + 6 * s;
    const float right = std::min(x1, axis.right_px()) - 6 * s;
    if (right - left < 40 * s) continue;
    // The longest wording that there is room for (a letter of this font is about 6.4 pixels wide).
    const std::string so_far = std::string(tr("so far")) + " " + base::format_duration(frame.now - call.start_ns);
    std::string says = std::string(frame.trace.names().text(call.name)) + " " + so_far;
    if (static_cast<float>(says.size()) > (right - left) / (6.4f * s)) says = so_far;
    rows_batch_.add({left, p->y, right - left, frame.theme[Colour::WaitInk], FontRole::Small, says, height,
                     LabelAlign::Centre, frame.theme[Colour::Pill]});
  }
}

void Timeline::add_markers(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area) {
  if (!frame.analysis) return;
  const auto& markers = frame.analysis->markers();
  const float s = frame.scale;
  auto m = std::lower_bound(markers.begin(), markers.end(), axis.begin_ns(),
                            [](const trace::Event& e, Nanoseconds t) { return e.start_ns < t; });
  const auto end = std::min(axis.end_ns(), frame.live_edge + 1);
  while (m != markers.end() && m->start_ns < end) {
    const float x = axis.to_px(m->start_ns);
    // Those that stand so close that their flags would cover each other share one.
    auto last = m;
    for (auto next = m; next != markers.end() && next->start_ns < end && axis.to_px(next->start_ns) < x + 150 * s;
         ++next) {
      dashed_vertical(rows_batch_, axis.to_px(next->start_ns), area.y + kRulerHeight * s, area.y + area.height,
                      frame.theme[Colour::Marker], s);
      last = next;
    }
    const auto& names = frame.trace.names();
    top_batch_.add({x + 6 * s, area.y + 5 * s, 260 * s, frame.theme[Colour::Text], FontRole::Small,
                    marker_text(names.text(m->name), names.text(last->name)), 20 * s, LabelAlign::Left,
                    frame.theme[Colour::PanelRaised]});
    m = std::next(last);
  }
}

std::optional<Rect> Timeline::event_rect(const EventRef& ref, const TimeAxis& axis) const {
  for (const Placed& p : placed_) {
    if (!p.lane_row || p.lane_row->lane() != ref.lane) continue;
    const float x0 = axis.to_px(ref.event.start_ns);
    const float x1 = std::max(axis.to_px(ref.event.end_ns), x0 + 2);
    return Rect{x0, p.y + static_cast<float>(ref.row) * p.lane_row->strip_pitch(), x1 - x0,
                p.lane_row->strip_pitch() - 2};
  }
  return std::nullopt;
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
      rows_batch_.solid(x0, y0, x1, y1, frame.theme[Colour::RangeSelection]);
      rows_batch_.solid(x0 - s, y0, x0, y1, frame.theme[Colour::Accent]);
      rows_batch_.solid(x1, y0, x1 + s, y1, frame.theme[Colour::Accent]);
      top_batch_.add({(x0 + x1) / 2 - 80 * s, area.y + 5 * s, 160 * s, frame.theme[Colour::AccentInk],
                      FontRole::SmallBold, base::format_duration(selection.range->second - selection.range->first),
                      20 * s, LabelAlign::Centre, frame.theme[Colour::Accent]});
    }
  }
}

std::optional<TimelineHit> Timeline::hit(const TimelineFrame& frame, const TimeAxis& axis, float x, float y) const {
  const trace::Trace::ReadLock lock(frame.trace);
  for (const OpenBar& bar : open_bars_) {
    const Rect& r = bar.rect;
    if (x < r.x || x >= r.x + r.width || y < r.y || y >= r.y + r.height) continue;
    TimelineHit hit;
    hit.lane = bar.call.lane;
    hit.open = bar.call;
    return hit;
  }
  for (const Placed& p : placed_) {
    if (y < p.y || y >= p.y + p.height || !p.lane_row) continue;
    const LaneId lane = p.lane_row->lane();
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

std::optional<Rect> Timeline::lane_rect(LaneId lane) const {
  for (const Placed& p : placed_) {
    if (p.lane_row && p.lane_row->lane() == lane) return Rect{area_.x, p.y, area_.width, p.height};
  }
  return std::nullopt;
}

std::optional<Rect> Timeline::lane_rect(const trace::Trace& trace, LaneKind kind) const {
  for (const Placed& p : placed_) {
    if (p.lane_row && trace.lane(p.lane_row->lane()).info().kind == kind) return lane_rect(p.lane_row->lane());
  }
  return std::nullopt;
}

std::optional<Rect> Timeline::bubble_row(const trace::Trace& trace) const {
  const Placed* kernels = kernel_row(trace);
  return kernels ? std::optional(Rect{area_.x, kernels->y, area_.width, kernels->height}) : std::nullopt;
}

std::optional<LaneId> Timeline::lane_at(float y) const {
  for (const Placed& p : placed_) {
    if (p.lane_row && y >= p.y && y < p.y + p.height) return p.lane_row->lane();
  }
  return std::nullopt;
}

std::vector<LaneId> Timeline::lanes_between(float y0, float y1) const {
  std::vector<LaneId> lanes;
  for (const Placed& p : placed_) {
    if (p.lane_row && p.y < y1 && p.y + p.height > y0) lanes.push_back(p.lane_row->lane());
  }
  return lanes;
}

std::vector<LaneId> Timeline::lanes() const {
  std::vector<LaneId> lanes;
  for (const Placed& p : placed_) {
    if (p.lane_row) lanes.push_back(p.lane_row->lane());
  }
  return lanes;
}

std::size_t Timeline::lane_count() const {
  return static_cast<std::size_t>(
      std::count_if(placed_.begin(), placed_.end(), [](const Placed& p) { return p.lane_row; }));
}

}  // namespace lanescope::ui
