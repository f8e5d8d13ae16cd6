#include "ui/rows/lane_row.h"

#include <algorithm>
#include <cmath>

#include "analysis/cpu_lanes.h"
#include "base/translate.h"
#include "ui/rows/lane_row_strip.h"

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
constexpr float kTextHeight = 13.5f;                       // less, and text would be cut
constexpr float kStaleFoldPx = LaneRow::kStaleMarkPx + 3;  // marks are wider than what they stand for
constexpr float kReturnLabelPx = 84.0f;  // the least interesting part says what it is only where there is room for all

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

}  // namespace

LaneRow::Shape LaneRow::shape_for(const RowContext& context, const Look& look) const {
  const float s = context.scale;
  if (look.group_folded) return {kGroupFoldedHeight * s, 0, kGroupFoldedHeight * s};
  if (look.folded) return {kFoldedHeight * s, 0, kFoldedHeight * s};
  const trace::Lane& lane = context.trace.lane(lane_);
  // Deeply nested ranges get thin: a person opened a large trace and wants to see its shape.
  const float full = compact_ ? kCompactHeight : base_height(lane.info().kind);
  const auto rows = static_cast<float>(std::max<std::size_t>(1, lane.row_count()));
  const float event = std::round((rows > 3 ? std::min(full, kManyRowsHeight) : full) * look.factor * s * 4) / 4;
  const float pitch = event + kSubRowGap * s;
  return {event, pitch, rows * pitch - kSubRowGap * s};
}

void LaneRow::forget_glyphs() {
  glyphs_.clear();
  strip_begin_.clear();
}

// Sub-rows lie below each other; of a folded lane they lie in one place, so that what is seen is where any of them was
// busy: deep ones are drawn first, and what they belong to over them.
void LaneRow::prepare(const RowContext& context, float y, SpanBatch& out) {
  forget_glyphs();
  const trace::Lane& lane = context.trace.lane(lane_);
  drawn_ = shape_ ? *shape_ : wanted_shape(context);
  read_phase_ = context.trace.names().find("item()");
  const bool computes = lane.info().kind == LaneKind::Phases && lane.info().name == analysis::kCpuOpsLane;
  const std::size_t rows = lane.row_count();
  const bool merged = look_.folded || look_.group_folded;
  strip_begin_.reserve(rows + 1);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t r = merged ? rows - 1 - i : i;
    strip_begin_.push_back(glyphs_.size());
    const float y0 = y + static_cast<float>(r) * drawn_.pitch;
    const float y1 = std::min(y0 + drawn_.event, y + drawn_.height);  // a sub-row that has just come grows
    if (y1 - y0 < 0.5f) continue;
    prepare_strip(context,
                  {&lane.row(r), r, lane.info().kind, y0, y1, computes, y1 - y0 >= kTextHeight * context.scale}, out);
  }
  strip_begin_.push_back(glyphs_.size());
}

void LaneRow::prepare_strip(const RowContext& context, const Strip& strip, SpanBatch& out) {
  const trace::Row& row = *strip.row;
  const EventIndex last = row.last();
  const Nanoseconds end = std::min(context.axis.end_ns(), context.live_edge);
  // Such reads have a lane of their own: its first event tells.
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

// A range is known when it ends. The iteration that is running began where the last one that is shown ended.
void LaneRow::draw_open_iteration(const RowContext& context, const Strip& strip, SpanBatch& out) const {
  const trace::Row& row = *strip.row;
  const EventIndex first = row.first();
  const EventIndex open = row.first_ending_after(context.live_edge, first, row.last());
  if (open == first || (open < row.last() && row.start(open) > context.live_edge)) return;
  const Nanoseconds begin = row.end(open - 1);
  if (open < row.last() && row.start(open) < context.live_edge) return;  // known already, and drawn up to the edge
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

void LaneRow::draw_event(const RowContext& context, const Strip& strip, EventIndex i, float x0, float x1,
                         SpanBatch& out) const {
  const Event event = strip.row->event(i);
  const float width = x1 - x0;
  if (trace::is_blocking(event) && width >= 2 * kFoldPx) return draw_blocking_call(context, strip, event, out);
  if (trace::is_host_wait(event) && width >= 2 * kFoldPx) return draw_host_wait(context, strip, event, x0, x1, out);
  const bool reads = event.kind == EventKind::Range && read_phase_ != 0 && event.name == read_phase_;
  const Colour colour = reads ? Colour::WaitGround : strip.computes ? Colour::Kernel : event_colour(strip.kind, event);
  // A hairline of ground keeps neighbours apart, where there is room for it.
  const float gap = width > 6 ? 1.0f : 0.0f;
  out.solid(x0, strip.y0, x1 - gap, strip.y1, context.theme[colour], strip.rounding(width, context.scale));
  if (width < kLabelPx * context.scale || !strip.labels) return;
  const float left = std::max(x0, context.axis.left_px()) + 6 * context.scale;
  const float right = std::min(x1, context.axis.right_px()) - 4 * context.scale;
  const bool heading = strip.kind == LaneKind::Iterations || strip.kind == LaneKind::Kernels;
  out.add({left, strip.y0, right - left, reads ? context.theme[Colour::WaitInk] : context.theme.ink_on(colour),
           heading ? FontRole::SmallBold : FontRole::Small, event_label(context.trace, strip.kind, event),
           strip.y1 - strip.y0});
}

// Hatched as every wait is, in a colour of its own: what is waited for here is not the GPU.
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

// A wrong number must be seen from the back row: a flag with its text where there is room, else a thick mark.
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

// Own cost | waiting | copying | return, side by side: what a person reads off is where the time went.
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
  const auto plain = [&](Colour colour) {
    return [&, colour](float x0, float x1) {
      out.solid(x0, strip.y0, x1, strip.y1, context.theme[colour], strip.rounding(x1 - x0, context.scale));
    };
  };
  const auto write = [&](float x0, float x1, const std::string& text, std::uint32_t ink, std::uint32_t ground,
                         float least = kLabelPx) {
    const float left = std::max(x0, context.axis.left_px()) + 4 * context.scale;
    const float right = std::min(x1, context.axis.right_px()) - 4 * context.scale;
    if (right - left < least * context.scale || !strip.labels) return;
    out.add(
        {left, strip.y0, right - left, ink, FontRole::Small, text, strip.y1 - strip.y0, LabelAlign::Centre, ground});
  };
  part(parts.own, plain(trace::is_launch(call) ? Colour::CallCopy : Colour::Call));
  part(parts.waiting, [&](float x0, float x1) {
    out.styled(SpanStyle::Hatched, x0, strip.y0, x1, strip.y1, context.theme[Colour::WaitGround],
               context.theme[Colour::Wait], strip.rounding(x1 - x0, context.scale));
    // The longest wording that there is room for (a letter of this font is about 6.4 pixels wide).
    const std::string time = base::format_duration(parts.waiting);
    const float letters = (x1 - x0 - 12 * context.scale) / (6.4f * context.scale);
    std::string says = std::string(tr("waiting for GPU")) + " " + time;
    if (static_cast<float>(says.size()) > letters) says = std::string(tr("waiting")) + " " + time;
    if (static_cast<float>(says.size()) > letters) says = tr("waiting");
    write(x0, x1, says, context.theme[Colour::WaitInk], context.theme[Colour::Pill]);
  });
  part(parts.copying, [&](float x0, float x1) {
    plain(Colour::CallCopy)(x0, x1);
    write(x0, x1, std::string(tr("copying")) + " " + base::format_duration(parts.copying),
          context.theme.ink_on(Colour::CallCopy), 0);
  });
  part(parts.returning, [&](float x0, float x1) {
    plain(Colour::Call)(x0, x1);
    write(x0, x1, std::string(tr("return")) + " " + base::format_duration(parts.returning),
          context.theme.ink_on(Colour::Call), 0, kReturnLabelPx);
  });
}

std::optional<RowHit> LaneRow::hit(float x, float y) const {
  if (y < 0 || strip_begin_.size() < 2) return std::nullopt;
  if (drawn_.pitch > 0 && !look_.folded && !look_.group_folded) {
    const auto strip = static_cast<std::size_t>(y / drawn_.pitch);
    return strip + 1 < strip_begin_.size() ? hit_strip(strip, x) : std::nullopt;
  }
  if (y >= drawn_.height) return std::nullopt;
  // All in one place: what lies on top was drawn last.
  for (std::size_t strip = strip_begin_.size() - 1; strip-- > 0;) {
    if (const auto found = hit_strip(strip, x)) return found;
  }
  return std::nullopt;
}

std::optional<RowHit> LaneRow::hit_strip(std::size_t strip, float x) const {
  const auto begin = glyphs_.begin() + static_cast<std::ptrdiff_t>(strip_begin_[strip]);
  const auto end = glyphs_.begin() + static_cast<std::ptrdiff_t>(strip_begin_[strip + 1]);
  // A hairline is caught from a pixel and a half away.
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
  return Colour::Phase;
}

std::string short_kernel_name(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";  // brackets that are not arguments
  if (name.starts_with("void ")) name.remove_prefix(5);
  // The function begins behind the last "::" or, where a result type stands before it, blank; template arguments are no
  // part of it.
  const bool has_arguments = name.find('(') != std::string_view::npos;
  std::size_t begin = 0;
  std::size_t end = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    if (rest.starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (rest.starts_with("::")) {
      begin = i + 2;
      end = name.size();
      ++i;
    } else if (name[i] == ' ' && has_arguments) {
      begin = i + 1;
      end = name.size();
    } else if (name[i] == '(') {
      end = std::min(end, i);
      break;
    } else if (name[i] == '<') {
      end = std::min(end, i);
      for (std::size_t depth = 1; depth > 0 && i + 1 < name.size();) {
        ++i;
        if (name[i] == '<') ++depth;
        if (name[i] == '>') --depth;
      }
    }
  }
  return std::string(begin < end ? name.substr(begin, end - begin) : name);
}

std::string event_label(const trace::Trace& trace, LaneKind lane, const Event& event) {
  const std::string_view name = trace.names().text(event.name);
  if (lane == LaneKind::Iterations && name.find('#') == std::string_view::npos) {
    return std::string(name) + " " + std::to_string(trace::index_of(event));  // "ProfilerStep#3" says it itself
  }
  if (event.kind == EventKind::Kernel) return short_kernel_name(name);
  if (event.kind == EventKind::Copy) return base::format_bytes(static_cast<std::int64_t>(trace::bytes_of(event)));
  return is_stale_read(event) ? std::string(base::tr(std::string(name)))
                              : std::string(name);  // the program's word, not a name
}

double wait_share(const trace::Row& row, EventIndex first, EventIndex last) {
  const Nanoseconds span = row.end(last - 1) - row.start(first);
  return span > 0 ? static_cast<double>(row.wait_ns(first, last)) / static_cast<double>(span) : 0;
}

}  // namespace lanescope::ui
