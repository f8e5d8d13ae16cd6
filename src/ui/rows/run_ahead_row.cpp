#include "ui/rows/run_ahead_row.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/guess_search.h"

namespace lanescope::ui {
namespace {

using trace::EventIndex;
using trace::LaneId;

using Records = std::span<const analysis::IterationRecord>;

// The first record from `from` on that ends at or after t.
std::size_t first_ending_from(Records records, std::size_t from, Nanoseconds t) {
  return base::first_above(from, records.size(), t - 1, [&](std::size_t i) { return records[i].end_ns; });
}

// What was in flight at ascending instants: each search begins where the one before has ended.
class InFlight {
 public:
  explicit InFlight(const trace::Trace& trace) {
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
      const bool calls = lane.info().kind == trace::LaneKind::Calls;
      if (!calls && !trace::is_gpu_work_lane(lane.info().kind)) continue;
      for (std::size_t r = 0; r < lane.row_count(); ++r) {
        const trace::Row& row = lane.row(r);
        const Cursor cursor{&row, row.first(), row.first(), row.last()};
        if (cursor.at < cursor.last) (calls ? calls_ : operations_).push_back(cursor);
      }
    }
  }

  std::int64_t at(Nanoseconds t) {
    const std::uint32_t issued = newest_issued(t);
    if (issued == 0) return 0;
    std::int64_t count = 0;
    for (Cursor& c : operations_) {
      c.at = c.row->first_ending_after(t, c.at, c.last);
      count += static_cast<std::int64_t>(first_issued_later(c, issued, t) - c.at);
    }
    return count;
  }

 private:
  struct Cursor {
    const trace::Row* row;
    EventIndex first, at, last;  // `at`: the first event that ends after the instant asked for last
  };

  // The newest correlation number that any thread had issued at t; correlation numbers count up over a run.
  std::uint32_t newest_issued(Nanoseconds t) {
    std::uint32_t newest = 0;
    for (Cursor& c : calls_) {
      c.at = c.row->first_ending_after(t, c.at, c.last);
      // A blocking copy has issued its work long before it ends.
      if (c.at < c.last && c.row->start(c.at) <= t && trace::is_blocking(c.row->untimed_event(c.at))) {
        newest = std::max(newest, c.row->untimed_event(c.at).correlation);
      } else if (c.at > c.first) {
        newest = std::max(newest, c.row->untimed_event(c.at - 1).correlation);
      }
    }
    return newest;
  }

  static EventIndex first_issued_later(const Cursor& c, std::uint32_t issued, Nanoseconds t) {
    // Where the call is not known, an operation counts from its own start.
    const auto is_issued = [&](EventIndex i) {
      const std::uint32_t correlation = c.row->untimed_event(i).correlation;
      return correlation != 0 ? correlation <= issued : c.row->start(i) <= t;
    };
    // Gallop, then halve.
    EventIndex low = c.at;
    EventIndex step = 1;
    while (low < c.last && is_issued(std::min(c.last - 1, low + step - 1))) {
      low = std::min(c.last, low + step);
      step *= 2;
    }
    EventIndex high = std::min(c.last, low + step);
    while (low < high) {
      const EventIndex middle = low + (high - low) / 2;
      if (is_issued(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  std::vector<Cursor> calls_, operations_;
};

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
    if (past >= records_.size() || records_[past].number < records_[first].number + 2) return std::nullopt;
    const double in_flight = static_cast<double>(records_[past].run_ahead_ns - records_[first].run_ahead_ns);
    return std::llround(in_flight / static_cast<double>(records_[past].end_ns - records_[first].end_ns));
  }

 private:
  Records records_;
  std::size_t next_ = 0;
};

}  // namespace

std::int64_t run_ahead_at(const trace::Trace& trace, Nanoseconds t) { return InFlight(trace).at(t); }

void RunAheadRow::prepare(const RowContext& context, float y, SpanBatch& out) {
  const TimeAxis& axis = context.axis;
  const float row_height = context.row_height > 0 ? context.row_height : height(context);
  constexpr float kColumn = 2;  // pixels: a step is sharper than anybody can see
  const auto columns = static_cast<std::size_t>(std::max(0.0f, axis.width_px() / kColumn));
  columns_.assign(columns, 0);
  peak_ = 0;
  std::size_t known = 0;
  const auto [oldest, newest] = context.trace.extent();
  Means means(context.analysis ? context.analysis->records() : Records());
  InFlight in_flight(context.trace);
  for (; known < columns; ++known) {
    const Nanoseconds t = axis.to_ns(axis.left_px() + (static_cast<float>(known) + 0.5f) * kColumn);
    if (t >= std::min(context.live_edge, newest + 1)) break;
    if (t < oldest) continue;
    const Nanoseconds half = axis.length_ns(kColumn / 2);
    const std::optional<std::int64_t> mean = means.between(t - half, t + half);
    columns_[known] = mean ? *mean : in_flight.at(t);
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
