#include "timeline/lane_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/guess_search.h"
#include "base/translate.h"
#include "timeline/colouring.h"
#include "timeline/not_recorded.h"
#include "trace/event.h"
#include "trace/names.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::Event;
using trace::EventIndex;
using trace::EventKind;
using trace::LaneKind;

constexpr float kLabelPx = 26.0f;  // narrower events have no label
constexpr float kCompactHeight = 14;
constexpr float kManyRowsHeight = 18;
constexpr float kSubRowGap = 2;
constexpr float kTextHeight = 13.5f;                       // a smaller row would cut off text
constexpr float kStaleFoldPx = LaneRow::kStaleMarkPx + 3;  // marks are wider than the instants they stand for
constexpr float kReturnLabelPx = 84.0f;  // labelled only if there is plenty of space, because it is the least
                                         // interesting part

float base_height(LaneKind kind) {
  switch (kind) {
    case LaneKind::Kernels:
      return 34;
    case LaneKind::Calls:
      return 34;
    case LaneKind::CopyH2D:
    case LaneKind::CopyD2H:
    case LaneKind::CopyOther:
      return 22;
    default:
      return 22;
  }
}

// Spare height goes to the kernels first, then to the calls: that is where the picture is read.
float growth(LaneKind kind) {
  switch (kind) {
    case LaneKind::Kernels:
      return 1;
    case LaneKind::Calls:
      return 0.41f;
    case LaneKind::CopyH2D:
    case LaneKind::CopyD2H:
    case LaneKind::CopyOther:
      return 0.03f;
    default:
      return 0.09f;
  }
}

constexpr float kCountEvery = 80;                  // minimum distance in pixels between displayed counts
constexpr float kCountPx = 42;                     // space for a count
constexpr float kLaneLetterPx = 7.2f;              // width of a digit, with a margin
constexpr float kBesidePx = 3;                     // between a strip and the count beside it
constexpr float kBubbleLabelPx = 30;               // a bubble this wide has text in its middle,
constexpr float kBubbleTextPx = 90;                // of at most this width
constexpr float kNarrowPx = 2 * LaneRow::kFoldPx;  // of gaps and single events that do not interrupt a strip

}  // namespace

// Where one sub-row of a lane is drawn.
struct LaneRow::Strip {
  const trace::Row* row;
  std::size_t number;
  trace::LaneKind kind;
  float y0, y1;
  bool labels;  // high enough for text

  float rounding(float width, float scale) const { return width > 8 && labels ? kRounding * scale : 0; }
};

LaneRow::Shape LaneRow::shape_for(const RowContext& context, const Appearance& look) const {
  const float s = context.scale;
  if (look.group_folded) return {kGroupFoldedHeight * s, 0, kGroupFoldedHeight * s};
  if (look.folded) return {kFoldedHeight * s, 0, kFoldedHeight * s};
  const trace::Lane& lane = context.trace.lane(lane_);
  // Deeply nested ranges become thin, so that a large trace shows its shape.
  const float full = compact_ ? kCompactHeight : base_height(lane.info().kind);
  const auto rows = static_cast<float>(std::max<std::size_t>(1, lane.row_count()));
  const float stretch = 1 + (look.stretch - 1) * (look.stretch > 1 ? growth(lane.info().kind) : 1);
  const float factor = look.factor * stretch;
  const float event = std::round((rows > 3 ? std::min(full, kManyRowsHeight) : full) * factor * s * 4) / 4;
  const float pitch = event + kSubRowGap * s;
  return {event, pitch, rows * pitch - kSubRowGap * s};
}

void LaneRow::forget_glyphs() {
  glyphs_.clear();
  strip_begin_.clear();
}

// Sub-rows are drawn one below the other. In a folded lane they are drawn on top of each other, deep ones first, so
// that the result shows where any of them was busy.
void LaneRow::prepare(const RowContext& context, float y, SpanBatch& out) {
  forget_glyphs();
  const trace::Lane& lane = context.trace.lane(lane_);
  drawn_ = shape_ ? *shape_ : wanted_shape(context);
  const std::size_t rows = lane.row_count();
  const bool merged = look_.folded || look_.group_folded;
  strip_begin_.reserve(rows + 1);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t r = merged ? rows - 1 - i : i;
    strip_begin_.push_back(glyphs_.size());
    const float y0 = y + static_cast<float>(r) * drawn_.pitch;
    const float y1 = std::min(y0 + drawn_.event, y + drawn_.height);  // a new sub-row grows
    if (y1 - y0 < 0.5f) continue;
    prepare_strip(context, {&lane.row(r), r, lane.info().kind, y0, y1, y1 - y0 >= kTextHeight * context.scale}, out);
  }
  strip_begin_.push_back(glyphs_.size());
}

void LaneRow::prepare_strip(const RowContext& context, const Strip& strip, SpanBatch& out) {
  const trace::Row& row = *strip.row;
  const EventIndex last = row.last();
  const Nanoseconds end = std::min(context.axis.end_ns(), context.live_edge);
  // Such reads have their own lane, so checking its first event suffices.
  const bool stale =
      strip.kind == LaneKind::Phases && row.first() < last && trace::is_stale_read(row.untimed_event(row.first()));
  const Nanoseconds fold = std::max<Nanoseconds>(1, context.axis.length_ns(stale ? kStaleFoldPx : kFoldPx));
  for (EventIndex i = row.first_ending_after(context.axis.begin_ns() - 1, row.first(), last); i < last;) {
    const trace::Fold glyph = row.fold(i, fold, last);
    if (glyph.start >= end) break;
    const float x0 = context.axis.to_px(glyph.start);
    float x1 = std::max(context.axis.to_px(std::min(glyph.end, end)), x0 + 1);
    if (stale) {
      x1 = draw_stale_reads(context, strip, i, glyph, x0, out);
    } else if (glyph.last - i == 1) {
      draw_event(context, strip, i, x0, x1, out);
    } else {
      draw_fold(context, strip, i, glyph, x0, x1, out);
    }
    glyphs_.push_back({x0, x1, strip.number, i, glyph.last});
    i = glyph.last;
  }
  if (strip.labels && !stale) write_counts(context, strip, out);
  if (context.live && strip.kind == LaneKind::Iterations) draw_open_iteration(context, strip, out);
}

// A range is known only when it ends. The current iteration began where the last known one ended.
void LaneRow::draw_open_iteration(const RowContext& context, const Strip& strip, SpanBatch& out) const {
  const trace::Row& row = *strip.row;
  const EventIndex first = row.first();
  const EventIndex open = row.first_ending_after(context.live_edge, first, row.last());
  if (open == first || (open < row.last() && row.start(open) > context.live_edge)) return;
  const Nanoseconds begin = row.end(open - 1);
  if (open < row.last() && row.start(open) < context.live_edge) return;  // already known, and drawn up to the edge
  const float x0 = std::max(context.axis.to_px(begin), context.axis.left_px() - 8);
  const float x1 = std::min(context.axis.to_px(context.live_edge), context.axis.right_px() + 8);
  if (x1 - x0 < kFoldPx) return;
  const std::uint32_t colour = context.theme[Colour::Range];
  out.styled(SpanStyle::Outline, x0, strip.y0, x1, strip.y1, with_alpha(colour, 0.25f), colour,
             kRounding * context.scale);
  if (!strip.labels) return;
  const Event last = row.event(open - 1);
  const float left = std::max(x0, context.axis.left_px()) + 6 * context.scale;
  out.add({left, strip.y0, x1 - left, context.theme[Colour::Muted], FontRole::Small,
           std::string(context.trace.names().text(last.name)) + " " + std::to_string(trace::index_of(last) + 1) + " …",
           strip.y1 - strip.y0});
}

// A blocking call that is too narrow for its parts is a wait.
Paint LaneRow::paint_of(const RowContext& context, trace::LaneKind kind, const Event& event) const {
  return context.colours && !trace::is_blocking(event) ? context.colours->paint(lane_, event)
                                                       : kind_paint(context.theme, kind, event);
}

void LaneRow::draw_event(const RowContext& context, const Strip& strip, EventIndex i, float x0, float x1,
                         SpanBatch& out) const {
  const Event event = strip.row->event(i);
  const float width = x1 - x0;
  if (trace::is_blocking(event) && width >= 2 * kFoldPx) return draw_blocking_call(context, strip, event, out);
  if (trace::is_host_wait(event) && width >= 2 * kFoldPx) return draw_host_wait(context, strip, event, x0, x1, out);
  const Paint paint = paint_of(context, strip.kind, event);
  // Leaves a one-pixel gap between neighbours if there is space.
  const float gap = width > 6 ? 1.0f : 0.0f;
  out.solid(x0, strip.y0, x1 - gap, strip.y1, paint.fill, strip.rounding(width, context.scale));
  if (width < kLabelPx * context.scale || !strip.labels) return;
  const float left = std::max(x0, context.axis.left_px()) + 6 * context.scale;
  const float right = std::min(x1, context.axis.right_px()) - 4 * context.scale;
  const bool heading = strip.kind == LaneKind::Iterations || strip.kind == LaneKind::Kernels;
  out.add({left, strip.y0, right - left, paint.ink, heading ? FontRole::SmallBold : FontRole::Small,
           event_label(context.trace, strip.kind, event), strip.y1 - strip.y0});
}

// Hatched like every wait, in a different colour, because it does not wait for the GPU.
void LaneRow::draw_host_wait(const RowContext& context, const Strip& strip, const Event& wait, float x0, float x1,
                             SpanBatch& out) const {
  out.styled(SpanStyle::Hatched, x0, strip.y0, x1, strip.y1, context.theme[Colour::LoaderWaitGround],
             context.theme[Colour::LoaderWait], strip.rounding(x1 - x0, context.scale));
  const float left = std::max(x0, context.axis.left_px()) + 4 * context.scale;
  const float right = std::min(x1, context.axis.right_px()) - 4 * context.scale;
  if (right - left < kLabelPx * context.scale || !strip.labels) return;
  const std::string time = base::format_duration(wait.duration());
  std::string says = event_label(context.trace, strip.kind, wait) + " " + time;
  if (static_cast<float>(says.size()) > (right - left - 4 * context.scale) / (6.4f * context.scale)) says = time;
  out.add({left, strip.y0, right - left, context.theme[Colour::Text], FontRole::Small, says, strip.y1 - strip.y0,
           LabelAlign::Centre, context.theme[Colour::Pill]});
}

// A wrong value must be visible from afar: a flag with text if there is space, otherwise a thick mark.
float LaneRow::draw_stale_reads(const RowContext& context, const Strip& strip, EventIndex first,
                                const trace::Fold& fold, float x0, SpanBatch& out) const {
  const float s = context.scale;
  const std::uint64_t count = fold.last - first;
  std::string says = event_label(context.trace, strip.kind, strip.row->event(first));
  if (count > 1) says = std::to_string(count) + " × " + says;
  float next = context.axis.right_px();
  if (fold.last < strip.row->last()) next = std::min(next, context.axis.to_px(strip.row->start(fold.last)) - 3);
  const float mark = std::max(x0 + kStaleMarkPx * s, context.axis.to_px(fold.end));
  const float flag = std::max(mark, x0 + (static_cast<float>(says.size()) * 7.2f + 14) * s);
  const bool named = flag <= next && strip.labels;
  const float x1 = named ? flag : mark;
  out.solid(x0, strip.y0, x1, strip.y1, context.theme[Colour::NotArrived], named ? kRounding * s : 0);
  if (named) {
    out.add({x0 + 6 * s, strip.y0, x1 - x0 - 8 * s, context.theme.ink_on(Colour::NotArrived), FontRole::SmallBold, says,
             strip.y1 - strip.y0});
  }
  return x1;
}

// Own cost | waiting | copying | return, side by side: this shows where the time went.
void LaneRow::draw_blocking_call(const RowContext& context, const Strip& strip, const Event& call,
                                 SpanBatch& out) const {
  const trace::CallParts parts = trace::parts_of(call);
  const Nanoseconds end = std::min(context.axis.end_ns() + 1, context.live_edge);
  Nanoseconds at = call.start_ns;
  const auto part = [&](Nanoseconds length, auto draw) {
    const Nanoseconds from = at;
    at += length;
    if (length <= 0 || from >= end) return;
    const float x0 = context.axis.to_px(from);
    const float x1 = context.axis.to_px(std::min(at, end));
    if (x1 > x0) draw(x0, x1);
  };
  const auto plain = [&](std::uint32_t colour) {
    return [&, colour](float x0, float x1) {
      out.solid(x0, strip.y0, x1, strip.y1, colour, strip.rounding(x1 - x0, context.scale));
    };
  };
  // Its own cost and its return say what the other calls say; waiting and copying are the same in every colouring.
  const auto said = context.colours ? context.colours->own_paint(lane_, call) : std::nullopt;
  const Paint ours = said.value_or(Paint{context.theme[Colour::Call], context.theme.ink_on(Colour::Call)});
  const std::uint32_t before = !said && trace::is_launch(call) ? context.theme[Colour::CallCopy] : ours.fill;
  const auto write = [&](float x0, float x1, const std::string& text, std::uint32_t ink, std::uint32_t ground,
                         float least = kLabelPx) {
    const float left = std::max(x0, context.axis.left_px()) + 4 * context.scale;
    const float right = std::min(x1, context.axis.right_px()) - 4 * context.scale;
    if (right - left < least * context.scale || !strip.labels) return;
    out.add(
        {left, strip.y0, right - left, ink, FontRole::Small, text, strip.y1 - strip.y0, LabelAlign::Centre, ground});
  };
  part(parts.own, plain(before));
  part(parts.waiting, [&](float x0, float x1) {
    out.styled(SpanStyle::Hatched, x0, strip.y0, x1, strip.y1, context.theme[Colour::WaitGround],
               context.theme[Colour::Wait], strip.rounding(x1 - x0, context.scale));
    // The longest text that fits (a letter of this font is about 6.4 pixels wide).
    const std::string time = base::format_duration(parts.waiting);
    const float letters = (x1 - x0 - 12 * context.scale) / (6.4f * context.scale);
    std::string says = std::string(tr("waiting for GPU")) + " " + time;
    if (static_cast<float>(says.size()) > letters) says = std::string(tr("waiting")) + " " + time;
    if (static_cast<float>(says.size()) > letters) says = tr("waiting");
    write(x0, x1, says, context.theme[Colour::WaitInk], context.theme[Colour::Pill]);
  });
  part(parts.copying, [&](float x0, float x1) {
    plain(context.theme[Colour::CallCopy])(x0, x1);
    write(x0, x1, std::string(tr("copying")) + " " + base::format_duration(parts.copying),
          context.theme.ink_on(Colour::CallCopy), 0);
  });
  part(parts.returning, [&](float x0, float x1) {
    plain(ours.fill)(x0, x1);
    write(x0, x1, std::string(tr("return")) + " " + base::format_duration(parts.returning), ours.ink, 0,
          kReturnLabelPx);
  });
}

std::optional<RowHit> LaneRow::hit(float x, float y) const {
  if (y < 0 || strip_begin_.size() < 2) return std::nullopt;
  if (drawn_.pitch > 0 && !look_.folded && !look_.group_folded) {
    const auto strip = static_cast<std::size_t>(y / drawn_.pitch);
    return strip + 1 < strip_begin_.size() ? hit_strip(strip, x) : std::nullopt;
  }
  if (y >= drawn_.height) return std::nullopt;
  // All strips overlap; the topmost was drawn last.
  for (std::size_t strip = strip_begin_.size() - 1; strip-- > 0;) {
    if (const auto found = hit_strip(strip, x)) return found;
  }
  return std::nullopt;
}

std::optional<RowHit> LaneRow::hit_strip(std::size_t strip, float x) const {
  const auto begin = glyphs_.begin() + static_cast<std::ptrdiff_t>(strip_begin_[strip]);
  const auto end = glyphs_.begin() + static_cast<std::ptrdiff_t>(strip_begin_[strip + 1]);
  // A thin line can be hit from a pixel and a half away.
  auto found = std::lower_bound(begin, end, x, [](const Glyph& g, float at) { return g.x1 + 1.5f < at; });
  if (found == end || found->x0 - 1.5f > x) return std::nullopt;
  const auto distance = [x](const Glyph& g) { return std::max({g.x0 - x, x - g.x1, 0.0f}); };
  for (auto next = found; next != end && next->x0 - 1.5f <= x; ++next) {
    if (distance(*next) < distance(*found)) found = next;
  }
  return RowHit{found->row, found->first, found->last};
}

Colour event_colour(LaneKind lane, const Event& event) {
  switch (event.kind) {
    case EventKind::Kernel:
      return Colour::Kernel;
    case EventKind::Memset:
      return Colour::CopyOther;
    case EventKind::Copy:
      switch (trace::copy_traits_of(event).direction) {
        case trace::CopyDirection::HostToDevice:
          return Colour::CopyH2D;
        case trace::CopyDirection::DeviceToHost:
          return Colour::CopyD2H;
        default:
          return Colour::CopyOther;
      }
    case EventKind::Call:
      if (trace::is_blocking(event)) return Colour::Wait;
      return trace::is_launch(event) ? Colour::Launch : Colour::Call;
    default:
      break;
  }
  if (trace::is_stale_read(event)) return Colour::NotArrived;
  if (trace::is_host_wait(event)) return Colour::LoaderWait;
  if (lane == LaneKind::Iterations) return trace::index_of(event) % 2 ? Colour::RangeAlt : Colour::Range;
  return trace::range_kind_of(event) == trace::RangeKind::Compute ? Colour::Kernel : Colour::Phase;
}

std::string event_label(const trace::Trace& trace, LaneKind lane, const Event& event) {
  const std::string_view name = trace.names().text(event.name);
  if (lane == LaneKind::Iterations && name.find('#') == std::string_view::npos) {
    return std::string(name) + " " + std::to_string(trace::index_of(event));  // "ProfilerStep#3" already contains the
                                                                              // number
  }
  if (event.kind == EventKind::Kernel) return trace::short_kernel_name(name);
  if (event.kind == EventKind::Copy) return base::format_bytes(trace::shown_bytes(event));
  return is_stale_read(event) ? std::string(base::tr(std::string(name)))
                              : std::string(name);  // a defined term, not a name, so it is translated
}

// --- many events in a few pixels: how busy they were, how many there are, how much of it was waiting
// -------------------

int fold_density(std::uint64_t events, float width_px, float scale) {
  const double together = static_cast<double>(events) * static_cast<double>(LaneRow::kFoldPx * scale) /
                          static_cast<double>(std::max(width_px, LaneRow::kFoldPx * scale));
  return together >= 1000 ? 3 : together >= 100 ? 2 : together >= 10 ? 1 : 0;
}

std::string fold_count_text(std::uint64_t count) {
  if (count < 1000) return fmt::format("×{}", count);
  double value = static_cast<double>(count);
  const char* unit = "";
  for (const char* next : {"k", "M", "G"}) {
    if (value < 999.5) break;
    value /= 1000;
    unit = next;
  }
  return value < 9.95 ? fmt::format("×{:.1f}{}", value, unit) : fmt::format("×{:.0f}{}", value, unit);
}

Nanoseconds count_step(Nanoseconds least) {
  Nanoseconds power = 1;
  while (power <= least / 10) power *= 10;
  for (const int tenths : {10, 15, 20, 30, 50, 70}) {
    const Nanoseconds step = (power * tenths + 9) / 10;
    if (step >= least) return step;
  }
  return power * 10;
}

void LaneRow::draw_fold(const RowContext& context, const Strip& strip, EventIndex first, const trace::Fold& fold,
                        float x0, float x1, SpanBatch& out) const {
  const Nanoseconds span = std::max<Nanoseconds>(1, fold.end - fold.start);
  const auto busy = static_cast<float>(static_cast<double>(fold.busy_ns) / static_cast<double>(span));
  const bool calls = strip.kind == LaneKind::Calls;
  const trace::Event one = strip.row->look(first);
  if (trace::is_host_wait(one)) {
    out.styled(SpanStyle::Hatched, x0, strip.y0, x1, strip.y1, context.theme[Colour::LoaderWaitGround],
               context.theme[Colour::LoaderWait]);
    return;
  }
  const std::uint32_t colour = context.colours ? context.colours->paint_fold(lane_, *strip.row, first, fold).fill
                                               : context.theme[calls ? Colour::Launch : event_colour(strip.kind, one)];
  Span& glyph = out.folded(x0, strip.y0, x1, strip.y1, colour, busy);
  if (strip.labels) {
    glyph.ink = context.theme[Colour::Text];
    glyph.stroke = static_cast<float>(fold_density(fold.last - first, x1 - x0, context.scale));
  }
  if (!calls) return;
  const double waiting = static_cast<double>(strip.row->wait_ns(first, fold.last)) / static_cast<double>(span);
  if (waiting <= 0.005) return;
  const float height = (strip.y1 - strip.y0) * static_cast<float>(std::min(1.0, waiting));
  out.styled(SpanStyle::Hatched, x0, strip.y1 - height, x1, strip.y1, context.theme[Colour::WaitGround],
             context.theme[Colour::Wait]);
}

// Neighbouring folds look like one strip. It shows its number of events once or, if it is long, once per stretch of
// time of a fixed place and length, so that nothing flickers while the view moves.
void LaneRow::write_counts(const RowContext& context, const Strip& strip, SpanBatch& out) const {
  auto glyph = glyphs_.begin() + static_cast<std::ptrdiff_t>(strip_begin_.back());
  if (glyph == glyphs_.end()) return;
  const float s = context.scale;
  const TimeAxis& axis = context.axis;
  const trace::Row& row = *strip.row;
  const auto write = [&](float centre, std::uint64_t count) {
    // wider than any text, which would otherwise be cut, because it is centred
    const float width = 1.5f * kCountPx * s;
    out.add({centre - width / 2, strip.y0, width, context.theme[Colour::Text], FontRole::Small, fold_count_text(count),
             strip.y1 - strip.y0, LabelAlign::Centre, context.theme[Colour::Pill]});
  };
  const auto step = std::max<Nanoseconds>(1, count_step(axis.length_ns(kCountEvery * s)));
  const auto write_stretches = [&](float from_px, float to_px, EventIndex at, EventIndex end) {
    const Nanoseconds left = axis.to_ns(from_px);
    const Nanoseconds begin = left / step * step - (left < 0 && left % step != 0 ? step : 0);
    for (Nanoseconds t = begin; t < axis.to_ns(to_px); t += step) {
      const float centre = axis.to_px(t + step / 2);
      if (centre - kCountPx * s / 2 < from_px || centre + kCountPx * s / 2 > to_px) continue;
      const EventIndex first = row.first_starting_at_or_after(t, at, end);
      at = row.first_starting_at_or_after(t + step, first, end);
      if (at > first + 1) write(centre, at - first);
    }
  };
  // Beside a strip that is too narrow: to the right if there is space, otherwise to the left.
  float free_from = axis.left_px();
  const auto write_beside = [&](float from, float to, float free_to, std::uint64_t count) {
    const std::string says = fold_count_text(count);
    const float width = (static_cast<float>(says.size() - 1) * kLaneLetterPx + 2) * s;  // × is two bytes
    const auto fits = [&](float gap) {
      // Gaps between kernels are bubbles, with their duration in the middle.
      const bool bubble = strip.kind == LaneKind::Kernels && gap >= kBubbleLabelPx * s;
      return gap >= (bubble ? 2 * width + kBubbleTextPx * s : width + 2 * kBesidePx * s);
    };
    const bool right = fits(free_to - to);
    if (!right && !fits(from - free_from)) return;
    const float x = right ? to + kBesidePx * s : from - kBesidePx * s - width;
    out.add({x, strip.y0, width, context.theme[Colour::Muted], FontRole::Small, says, strip.y1 - strip.y0,
             right ? LabelAlign::Left : LabelAlign::Right});
    if (right) free_from = x + width;
  };
  // After a live lane's last event, open calls follow.
  const float known = context.live ? std::min(axis.to_px(row.end(row.last() - 1)), axis.right_px()) : axis.right_px();
  while (glyph != glyphs_.end()) {
    // Narrow events between folds belong to the strip; a strip of such events alone shows no count.
    auto last = glyph;
    std::size_t glyphs = 0, folds = 0;
    for (auto next = glyph; next != glyphs_.end(); ++next) {
      const bool fold = next->last - next->first > 1;
      if (!fold && next->x1 - next->x0 > kNarrowPx * s) break;
      if (next != glyph && next->x0 - last->x1 > kNarrowPx * s) break;
      last = next;
      ++glyphs;
      folds += fold ? 1 : 0;
    }
    const auto next = std::next(last);
    if (folds * 3 < glyphs || folds == 0) {
      free_from = std::max(free_from, last->x1);
      glyph = next;
      continue;
    }
    const float from = std::max(glyph->x0, axis.left_px());
    const float to = std::min(last->x1, axis.right_px());
    const bool whole = glyph->x0 >= axis.left_px() && last->x1 <= axis.right_px();
    if (whole && to - from < 2 * kCountEvery * s) {
      const EventIndex count = last->last - glyph->first;
      if (to - from >= kCountPx * s) {
        write((from + to) / 2, count);
      } else {
        free_from = std::min(free_from, from);
        write_beside(from, to, next == glyphs_.end() ? known : std::min(next->x0, axis.right_px()), count);
      }
    } else {
      write_stretches(from, to, glyph->first, last->last);
    }
    free_from = std::max(free_from, last->x1);
    glyph = next;
  }
}

// --- run ahead row ---------------------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t kUnknown = -1;

using RunAheadRecords = std::span<const analysis::IterationRecord>;

// Columns that contain whole iterations show the mean over these, from the analysis' running totals. The value at a
// single time would not be representative, and would need a search.
class Means {
 public:
  explicit Means(RunAheadRecords records) : records_(records) {}

  // The mean over the iterations that end in (from, to]; empty unless there are several.
  std::optional<std::int64_t> between(Nanoseconds from, Nanoseconds to) {
    // Columns have about as many iterations each, so that the searches begin close to where they end. What the next
    // column will read is fetched meanwhile: the records of a long run are not in the cache.
    const std::size_t first = first_ending_from(past_, next_, from);
    const std::size_t past = first_ending_from(first + step_, first, to);
    step_ = past - first;
    next_ = first;
    past_ = past;
    searched_ = true;
    for (std::size_t i = past + step_; i < std::min(past + step_ + 2, records_.size()); ++i) {
      __builtin_prefetch(&records_[i].end_ns);
      __builtin_prefetch(&records_[i].run_ahead_ns);
    }
    if (past >= records_.size() || records_[past].number < records_[first].number + 2) return std::nullopt;
    const Nanoseconds recorded = records_[past].recorded_since(records_[first]);
    if (recorded <= 0) return std::nullopt;
    const double in_flight = static_cast<double>(records_[past].run_ahead_ns - records_[first].run_ahead_ns);
    return std::llround(in_flight / static_cast<double>(recorded));
  }

 private:
  // The first record from `least` on that ends at or after t.
  std::size_t first_ending_from(std::size_t guess, std::size_t least, Nanoseconds t) const {
    const auto end_of = [this](std::size_t i) { return records_[i].end_ns; };
    return searched_ ? base::first_above_near(guess, least, records_.size(), t - 1, end_of)
                     : base::first_above(least, records_.size(), t - 1, end_of);
  }

  RunAheadRecords records_;
  std::size_t next_ = 0, past_ = 0, step_ = 0;
  bool searched_ = false;
};

}  // namespace

void RunAheadRow::prepare(const RowContext& context, float y, SpanBatch& out) {
  const TimeAxis& axis = context.axis;
  const float row_height = context.row_height > 0 ? context.row_height : height(context);
  constexpr float kColumn = 2;  // pixels: finer steps would be invisible
  const auto columns = static_cast<std::size_t>(std::max(0.0f, axis.width_px() / kColumn));
  columns_.assign(columns, 0);
  peak_ = 0;
  std::size_t known = 0;
  if (!context.analysis) return;
  const trace::Trace::ReadLock lock(context.trace);
  const auto [oldest, newest] = context.trace.extent();
  const Nanoseconds edge = std::min({context.live_edge, newest + 1, context.analysis->analysed_until() + 1});
  Means means(context.analysis->records());
  analysis::InFlight::Reader in_flight(context.analysis->in_flight());
  for (; known < columns; ++known) {
    const Nanoseconds t = axis.to_ns(axis.left_px() + (static_cast<float>(known) + 0.5f) * kColumn);
    if (t >= edge) break;
    if (t < oldest) continue;
    const Nanoseconds half = axis.length_ns(kColumn / 2);
    const std::optional<std::int64_t> mean = means.between(t - half, t + half);
    columns_[known] = mean ? *mean : in_flight.at(t);
    if (!mean && !any_recorded(context.trace, t)) columns_[known] = kUnknown;
    peak_ = std::max(peak_, columns_[known]);
  }
  const float wanted = std::max(4.0f, static_cast<float>(peak_) * 1.1f);
  shown_peak_ = wanted > shown_peak_ ? wanted : shown_peak_ + (wanted - shown_peak_) * 0.05f;

  const std::uint32_t line = context.theme[Colour::Accent];
  const std::uint32_t fill = with_alpha(line, 0.22f);
  const float bottom = y + row_height;
  const auto level = [&](std::int64_t value) {
    return bottom - (row_height - 4 * context.scale) * static_cast<float>(value) / shown_peak_;
  };
  const float stroke = 1.5f * context.scale;
  for (std::size_t begin = 0; begin < known;) {
    std::size_t end = begin + 1;
    while (end < known && columns_[end] == columns_[begin]) ++end;
    if (columns_[begin] == kUnknown) {
      begin = end;
      continue;
    }
    const float x0 = axis.left_px() + static_cast<float>(begin) * kColumn;
    const float x1 = axis.left_px() + static_cast<float>(end) * kColumn;
    const float top = level(columns_[begin]);
    out.solid(x0, top, x1, bottom, fill);
    out.solid(x0, top - stroke / 2, x1, top + stroke / 2, line);
    if (end < known && columns_[end] != kUnknown) {
      const float other = level(columns_[end]);
      out.solid(x1 - stroke / 2, std::min(top, other) - stroke / 2, x1 + stroke / 2, std::max(top, other) + stroke / 2,
                line);
    }
    begin = end;
  }
}

}  // namespace lanescope::ui
