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
#include "timeline/stalls.h"
#include "trace/event.h"
#include "trace/names.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::Event;
using trace::EventIndex;
using trace::EventKind;
using trace::LaneId;
using trace::LaneKind;

constexpr float kLabelPx = 26.0f;  // narrower events have no label
constexpr float kCompactHeight = 14;
constexpr float kManyRowsHeight = 18;
constexpr float kSubRowGap = 2;
constexpr float kTextHeight = 13.5f;                       // a smaller row would cut off text
constexpr float kStaleFoldPx = LaneRow::kStaleMarkPx + 3;  // marks are wider than the instants they stand for
constexpr float kTwoLinesHeight = 40;                      // a kernel this high has its duration below its name,
constexpr float kBoldLetterPx = 7.6f;                      // where there is room for the name; with a margin
constexpr float kTextLine = 16;
constexpr float kNamePad = 6, kNameEnd = 4;  // before and after a name
// A name is fitted to the same width until its event's is this much larger, or smaller by anything.
constexpr float kShortTimePx = 3;
constexpr float kSteadyPx = 12, kSlackPx = 3;

bool is_banded(const RowContext& context, LaneId lane, const Event& call) {
  return context.banded && context.banded->call.lane == lane && context.banded->call.event.start_ns == call.start_ns;
}

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
      return 0.3f;
    case LaneKind::CopyH2D:
    case LaneKind::CopyD2H:
    case LaneKind::CopyOther:
      return 0.03f;
    default:
      return 0.09f;
  }
}

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
  last_widths_.swap(widths_);
  widths_.clear();
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

Paint LaneRow::paint_of(const RowContext& context, trace::LaneKind kind, const Event& event, float width) const {
  const bool may_stall = kind == LaneKind::Phases && context.stalls && width >= 2 * kFoldPx;
  if (may_stall && context.stalls->stalls(lane_, event)) {
    return {context.theme[Colour::WaitGround], context.theme[Colour::WaitInk]};
  }
  return context.colours ? context.colours->paint(lane_, event) : kind_paint(context.theme, kind, event);
}

void LaneRow::draw_event(const RowContext& context, const Strip& strip, EventIndex i, float x0, float x1,
                         SpanBatch& out) {
  const Event event = strip.row->event(i);
  const float width = x1 - x0;
  if (event.kind == EventKind::Call && draw_block(context, strip, event, x0, x1, out)) return;
  if (trace::is_host_wait(event) && width >= 2 * kFoldPx) return draw_host_wait(context, strip, event, x0, x1, out);
  const auto needed = kBoldLetterPx * static_cast<float>(context.trace.names().text(event.name).size());
  if (strip.labels && trace::range_kind_of(event) == trace::RangeKind::Timed && width < needed * context.scale) {
    return draw_short_time(context, strip, i, x0, x1, out);
  }
  const Paint paint = paint_of(context, strip.kind, event, width);
  // Leaves a one-pixel gap between neighbours if there is space.
  const float gap = width > 6 ? 1.0f : 0.0f;
  out.solid(x0, strip.y0, x1 - gap, strip.y1, paint.fill, strip.rounding(width, context.scale));
  if (strip.labels) write_name(context, strip, event, x0, x1, paint.ink, out);
}

// What the program has timed is its result: it can be seen, with its time beside it, however short it was.
void LaneRow::draw_short_time(const RowContext& context, const Strip& strip, EventIndex i, float x0, float x1,
                              SpanBatch& out) const {
  const float s = context.scale;
  const Event event = strip.row->event(i);
  const std::uint32_t ink = context.theme[Colour::Text];
  const bool mark = x1 - x0 < kShortTimePx * s;
  if (mark) x1 = x0 + kShortTimePx * s;
  out.solid(x0, strip.y0, x1, strip.y1, mark ? ink : paint_of(context, strip.kind, event, x1 - x0).fill, 0);
  const float next = i + 1 < strip.row->last() ? context.axis.to_px(strip.row->start(i + 1)) : context.axis.right_px();
  const float room = std::min(next, context.axis.right_px()) - x1 - 2 * kNamePad * s;
  out.add({x1 + kNamePad * s, strip.y0, room, ink, FontRole::Small,
           std::string(context.trace.names().text(event.name)) + "  " +
               base::format_duration(event.duration(), kLaneDigits),
           strip.y1 - strip.y0, LabelAlign::Left, 0, LabelFit::Whole});
}

// A text that is cut, or stands, does not change while the width of its event trembles by a few pixels.
float LaneRow::steady_width(std::size_t strip, trace::NameId name, float width, float scale) {
  std::vector<float>& now = widths_[{strip, name}];
  const auto last = last_widths_.find({strip, name});
  const bool known = last != last_widths_.end() && now.size() < last->second.size();
  const float before = known ? last->second[now.size()] : 0;
  const bool keeps = known && width >= before && width <= before + kSteadyPx * scale;
  return now.emplace_back(keeps ? before : std::max(0.0f, width - kSlackPx * scale));
}

// Kernels are narrow and high: their names may stand.
void LaneRow::write_name(const RowContext& context, const Strip& strip, const Event& event, float x0, float x1,
                         std::uint32_t ink, SpanBatch& out) {
  const float s = context.scale;
  const float left = std::max(x0, context.axis.left_px()), right = std::min(x1, context.axis.right_px());
  const bool kernel = event.kind == EventKind::Kernel;
  const float least = (kernel ? kUprightPx : kLabelPx) * s;
  if (right - left < least - kSlackPx * s) return;
  const float width = steady_width(strip.number, event.name, right - left, s);
  if (width + kSlackPx * s < least) return;
  const std::string name = event_label(context.trace, strip.kind, event);
  const float height = strip.y1 - strip.y0;
  if (!kernel) {
    const bool iteration = strip.kind == LaneKind::Iterations;
    const FontRole font = iteration ? FontRole::SmallBold : FontRole::Small;
    out.add({left + kNamePad * s, strip.y0, width - (kNamePad + kNameEnd) * s, ink, font, name, height,
             LabelAlign::Left, 0, iteration ? LabelFit::Whole : LabelFit::Name});
    return;
  }
  const float from = left + (right - left - width) / 2;
  const float middle = (strip.y0 + strip.y1) / 2;
  const bool lies = static_cast<float>(name.size()) * kBoldLetterPx * s < width - kNamePad * s;
  const bool two_lines = lies && height >= kTwoLinesHeight * s && width >= 2 * kLabelPx * s;
  out.add({from, two_lines ? middle - kTextLine * s : strip.y0, width, ink,
           lies ? FontRole::SmallBold : FontRole::Small, name, two_lines ? kTextLine * s : height, LabelAlign::Centre,
           0, LabelFit::Stand});
  if (!two_lines) return;
  out.add({from, middle, width, ink, FontRole::MonoSmall, base::format_duration(event.duration(), kLaneDigits),
           kTextLine * s, LabelAlign::Centre, 0, LabelFit::Name});
}

// Hatched like every wait, in a different colour, because it does not wait for the GPU.
void LaneRow::draw_host_wait(const RowContext& context, const Strip& strip, const Event& wait, float x0, float x1,
                             SpanBatch& out) const {
  out.styled(SpanStyle::Hatched, x0, strip.y0, x1, strip.y1, context.theme[Colour::LoaderWaitGround],
             context.theme[Colour::LoaderWait], strip.rounding(x1 - x0, context.scale));
  const float left = std::max(x0, context.axis.left_px()) + 4 * context.scale;
  const float right = std::min(x1, context.axis.right_px()) - 4 * context.scale;
  if (right - left < kLabelPx * context.scale || !strip.labels) return;
  const std::string time = base::format_duration(wait.duration(), kLaneDigits);
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

// Its own cost, and then one block in which it waits, copies and returns: in the colour of harm as far as a GPU idles
// because of it. False: there is no block.
bool LaneRow::draw_block(const RowContext& context, const Strip& strip, const Event& call, float x0, float x1,
                         SpanBatch& out) {
  const bool blocking = trace::is_blocking(call);
  const bool narrow = x1 - x0 < 2 * kFoldPx;
  if (!blocking && (narrow || trace::is_launch(call))) return false;
  Stalls unknown;
  const StallBlock block = (context.stalls ? *context.stalls : unknown).block(lane_, call);
  if (block.from == block.to) return false;
  if (narrow) {  // too narrow for its parts
    const Hatching look = wait_hatching(context.theme, block.harmful());
    out.solid(x0, strip.y0, x1, strip.y1, block.harmful() ? look.ground : look.edge);
    return true;
  }
  const Nanoseconds end = std::min(context.axis.end_ns() + 1, context.live_edge);
  const auto px = [&](Nanoseconds t) { return context.axis.to_px(std::min(t, end)); };
  const float from = px(block.from), harm = px(block.harm_from), to = px(block.to);
  if (from > x0) {
    const Paint own =
        context.colours ? context.colours->paint(lane_, call) : kind_paint(context.theme, strip.kind, call);
    out.solid(x0, strip.y0, from, strip.y1, own.fill, strip.rounding(from - x0, context.scale));
  }
  if (to <= from) return true;
  const float rounding = strip.rounding(to - from, context.scale);
  const auto part = [&](float left, float right, bool harmful) {
    if (right <= left) return;
    const Hatching look = wait_hatching(context.theme, harmful);
    out.styled(SpanStyle::Hatched, left, strip.y0, right, strip.y1, look.ground, look.ink,
               left == from && right == to ? rounding : 0);
  };
  part(from, harm, false);
  part(std::max(from, harm), to, true);
  out.styled(SpanStyle::Outline, from, strip.y0, to, strip.y1, 0, wait_hatching(context.theme, harm < to).edge,
             rounding)
      .stroke = context.scale;
  if (!is_banded(context, lane_, call)) write_on_block(context, strip, call, block.harmful(), from, to, out);
  return true;
}

void LaneRow::write_on_block(const RowContext& context, const Strip& strip, const Event& call, bool harmful, float x0,
                             float x1, SpanBatch& out) {
  const float s = context.scale;
  const float left = std::max(x0, context.axis.left_px()) + 4 * s;
  const float right = std::min(x1, context.axis.right_px()) - 4 * s;
  if (right - left < kLabelPx * s || !strip.labels) return;
  const float width = steady_width(strip.number, call.name, right - left, s);
  const trace::CallParts parts = trace::parts_of(call);
  const bool copies = parts.copying > parts.waiting + parts.returning;
  std::string says = !trace::is_blocking(call) ? std::string(context.trace.names().text(call.name))
                     : copies                  ? tr("copying")
                                               : tr("waiting");
  const Nanoseconds length = trace::is_blocking(call) ? call.duration() - parts.own : call.duration();
  // The longest text that fits (a letter of this font is about 6.4 pixels wide).
  const std::string timed = says + " " + brief_duration(length);
  if (static_cast<float>(timed.size()) <= (width - 4 * s) / (6.4f * s)) says = timed;
  out.add({left, strip.y0, right - left, context.theme[harmful ? Colour::WaitInk : Colour::Text], FontRole::Small, says,
           strip.y1 - strip.y0, LabelAlign::Centre, context.theme[Colour::Pill], LabelFit::Name});
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

std::string brief_duration(Nanoseconds ns) {
  const std::string text = base::format_duration(ns, kLaneDigits);
  return text.find('.') == std::string::npos ? text : base::format_duration(ns, 2);
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

// --- many events in a few pixels: how busy they were, how much of it was waiting -------------------------------------

int fold_density(std::uint64_t events, float width_px, float scale) {
  const double together = static_cast<double>(events) * static_cast<double>(LaneRow::kFoldPx * scale) /
                          static_cast<double>(std::max(width_px, LaneRow::kFoldPx * scale));
  return together >= 1000 ? 3 : together >= 100 ? 2 : together >= 10 ? 1 : 0;
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
  const Nanoseconds waited = strip.row->wait_ns(first, fold.last);
  const double waiting = static_cast<double>(waited) / static_cast<double>(span);
  if (waiting <= 0.005) return;
  const Nanoseconds lost = context.stalls ? context.stalls->lost(lane_, fold.start, fold.end) : 0;
  const auto part = [&](Nanoseconds length, bool harmful) {
    const double share = std::min(1.0, static_cast<double>(length) / static_cast<double>(span));
    const Hatching look = wait_hatching(context.theme, harmful);
    out.styled(SpanStyle::Hatched, x0, strip.y1 - (strip.y1 - strip.y0) * static_cast<float>(share), x1, strip.y1,
               look.ground, look.ink);
  };
  part(waited, false);
  if (static_cast<double>(lost) >= Stalls::kHarmless * static_cast<double>(waited)) part(std::min(lost, waited), true);
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
