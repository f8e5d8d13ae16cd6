// Many events in a few pixels: how busy they were, how many there are, how much of it was waiting.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/rows/lane_row.h"
#include "ui/rows/lane_row_strip.h"

namespace lanescope::ui {

using trace::EventIndex;
using trace::LaneKind;

namespace {

constexpr float kCountEvery = 80;                  // pixels at least from one written count to the next
constexpr float kCountPx = 42;                     // what a count needs
constexpr float kLetterPx = 7.2f;                  // of it, and a little more
constexpr float kBesidePx = 3;                     // from a strip to the count beside it
constexpr float kBubbleLabelPx = 30;               // a bubble this wide has a text in its middle,
constexpr float kBubbleTextPx = 90;                // which is no wider than this
constexpr float kNarrowPx = 2 * LaneRow::kFoldPx;  // of gaps and lone events that do not interrupt a strip

}  // namespace

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
  const Colour colour = calls ? Colour::Launch : strip.computes ? Colour::Kernel : event_colour(strip.kind, one);
  Span& glyph = out.folded(x0, strip.y0, x1, strip.y1, context.theme[colour], busy);
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

// Neighbouring folds read as one strip: how many events are in it is written once, and of a long one once for every
// stretch of time of a fixed place and length, so that nothing flickers while the view moves.
void LaneRow::write_counts(const RowContext& context, const Strip& strip, SpanBatch& out) const {
  auto glyph = glyphs_.begin() + static_cast<std::ptrdiff_t>(strip_begin_.back());
  if (glyph == glyphs_.end()) return;
  const float s = context.scale;
  const TimeAxis& axis = context.axis;
  const trace::Row& row = *strip.row;
  const auto write = [&](float centre, std::uint64_t count) {
    // Wider than any text, which would else be cut: it is centred.
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
  // Beside a strip that is too narrow for it: to the right where nothing else is, else to the left.
  float free_from = axis.left_px();
  const auto write_beside = [&](float from, float to, float free_to, std::uint64_t count) {
    const std::string says = fold_count_text(count);
    const float width = (static_cast<float>(says.size() - 1) * kLetterPx + 2) * s;  // × is two bytes
    const auto fits = [&](float gap) {
      // The gaps between kernels are bubbles, which say in their middle how long they are.
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
    // Narrow events between folds belong to the strip; a strip of such events alone has nothing to count.
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

}  // namespace lanescope::ui
