#include "ui/rows/run_ahead_row.h"

#include <algorithm>
#include <cmath>

namespace lanescope::ui {
namespace {

using trace::EventIndex;
using trace::LaneId;

// The newest correlation number that any thread had issued at t; correlation numbers count up over a run.
std::uint32_t newest_issued(const trace::Trace& trace, Nanoseconds t) {
  std::uint32_t newest = 0;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
    if (lane.info().kind != trace::LaneKind::Calls) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const EventIndex first = row.first();
      const EventIndex after = row.first_ending_after(t, first, row.last());
      // A blocking copy has issued its work long before it ends.
      if (after < row.last() && row.start(after) <= t && trace::is_blocking(row.event(after))) {
        newest = std::max(newest, row.event(after).correlation);
      } else if (after > first) {
        newest = std::max(newest, row.event(after - 1).correlation);
      }
    }
  }
  return newest;
}

}  // namespace

std::int64_t run_ahead_at(const trace::Trace& trace, Nanoseconds t) {
  const std::uint32_t issued = newest_issued(trace, t);
  if (issued == 0) return 0;
  std::int64_t count = 0;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
    if (!trace::is_gpu_work_lane(lane.info().kind)) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const EventIndex last = row.last();
      const EventIndex running = row.first_ending_after(t, row.first(), last);
      // Where the call is not known, an operation counts from its own start.
      const auto is_issued = [&](EventIndex i) {
        const std::uint32_t correlation = row.event(i).correlation;
        return correlation != 0 ? correlation <= issued : row.start(i) <= t;
      };
      // Gallop, then halve, to the first operation that was issued later.
      EventIndex low = running;
      EventIndex step = 1;
      while (low < last && is_issued(std::min(last - 1, low + step - 1))) {
        low = std::min(last, low + step);
        step *= 2;
      }
      EventIndex high = std::min(last, low + step);
      while (low < high) {
        const EventIndex middle = low + (high - low) / 2;
        if (is_issued(middle)) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      count += static_cast<std::int64_t>(low - running);
    }
  }
  return count;
}

void RunAheadRow::prepare(const RowContext& context, float y, SpanBatch& out) {
  const TimeAxis& axis = context.axis;
  const float row_height = height(context);
  constexpr float kColumn = 2;  // pixels: a step is sharper than anybody can see
  const auto columns = static_cast<std::size_t>(std::max(0.0f, axis.width_px() / kColumn));
  columns_.assign(columns, 0);
  peak_ = 0;
  std::size_t known = 0;
  const auto [oldest, newest] = context.trace.extent();
  for (; known < columns; ++known) {
    const Nanoseconds t = axis.to_ns(axis.left_px() + (static_cast<float>(known) + 0.5f) * kColumn);
    if (t >= std::min(context.live_edge, newest + 1)) break;
    if (t < oldest) continue;
    columns_[known] = run_ahead_at(context.trace, t);
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
    const float x0 = axis.left_px() + static_cast<float>(begin) * kColumn;
    const float x1 = axis.left_px() + static_cast<float>(end) * kColumn;
    const float top = level(columns_[begin]);
    out.solid(x0, top, x1, bottom, fill);
    out.solid(x0, top - stroke / 2, x1, top + stroke / 2, line);
    if (end < known) {
      const float other = level(columns_[end]);
      out.solid(x1 - stroke / 2, std::min(top, other) - stroke / 2, x1 + stroke / 2, std::max(top, other) + stroke / 2,
                line);
    }
    begin = end;
  }
}

}  // namespace lanescope::ui
