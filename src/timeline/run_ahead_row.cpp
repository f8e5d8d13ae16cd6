#include "timeline/run_ahead_row.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/guess_search.h"
#include "timeline/not_recorded.h"

namespace lanescope::ui {
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
