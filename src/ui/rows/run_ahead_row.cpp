#include "ui/rows/run_ahead_row.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

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

using Records = std::span<const analysis::IterationRecord>;

// The first record from `from` on that ends at or after t. Iterations repeat, so the search begins where a straight
// line between the ends guesses: a search by halves would wait for memory at every step.
std::size_t first_ending_from(Records records, std::size_t from, Nanoseconds t) {
  const std::size_t size = records.size();
  if (from >= size || records[from].end_ns >= t) return from;
  if (records[size - 1].end_ns < t) return size;
  const auto [a, b] = std::pair{records[from].end_ns, records[size - 1].end_ns};
  const double share = static_cast<double>(t - a) / static_cast<double>(b - a);
  std::size_t low = from, high = size - 1;  // records[low] ends before t, records[high] does not
  const std::size_t guess = from + static_cast<std::size_t>(share * static_cast<double>(high - low));
  std::size_t step = 1;
  if (records[guess].end_ns < t) {
    for (low = guess; low + step < high && records[low + step].end_ns < t; step *= 2) low += step;
    high = std::min(high, low + step);
  } else {
    for (high = guess; low + step < high && records[high - step].end_ns >= t; step *= 2) high -= step;
    low = high - low > step ? high - step : low;
  }
  const auto found = std::partition_point(records.begin() + static_cast<std::ptrdiff_t>(low + 1),
                                          records.begin() + static_cast<std::ptrdiff_t>(high),
                                          [t](const analysis::IterationRecord& r) { return r.end_ns < t; });
  return static_cast<std::size_t>(found - records.begin());
}

// Columns that hold whole iterations show the mean over these, from the analysis' running totals: what was in flight at
// one instant of them says nothing, and would have to be searched for.
class Means {
 public:
  explicit Means(Records records) : records_(records) {}

  // The mean over the iterations that end in (from, to]; empty unless there are several.
  std::optional<std::int64_t> between(Nanoseconds from, Nanoseconds to) {
    next_ = first_ending_from(records_, next_, from);
    const std::size_t past = first_ending_from(records_, next_, to);
    const std::size_t first = next_;
    if (past >= records_.size() || past < first + 2) return std::nullopt;
    const double in_flight = static_cast<double>(records_[past].run_ahead_ns - records_[first].run_ahead_ns);
    return std::llround(in_flight / static_cast<double>(records_[past].end_ns - records_[first].end_ns));
  }

 private:
  Records records_;
  std::size_t next_ = 0;
};

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
  Means means(context.analysis ? context.analysis->records() : Records());
  for (; known < columns; ++known) {
    const Nanoseconds t = axis.to_ns(axis.left_px() + (static_cast<float>(known) + 0.5f) * kColumn);
    if (t >= std::min(context.live_edge, newest + 1)) break;
    if (t < oldest) continue;
    const Nanoseconds half = axis.length_ns(kColumn / 2);
    const std::optional<std::int64_t> mean = means.between(t - half, t + half);
    columns_[known] = mean ? *mean : run_ahead_at(context.trace, t);
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
