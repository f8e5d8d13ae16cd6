// Statistics of a trace by name and kind: of all of it, or of a selected stretch.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/summary.h"
#include "base/background_job.h"
#include "inspect/range_statistics.h"

namespace lanescope::ui {

enum class StatisticsKind : std::uint8_t {
  Kernels,
  Copies,  ///< and memsets
  Calls,
  Waits,  ///< the waiting part of each blocking call, and waits for data
  Ranges,
  Python,  ///< operators of the framework, and Python functions
};
inline constexpr std::size_t kStatisticsKinds = 6;
/// "kernels", translated; and "kernel", as in CSV.
const char* statistics_kind_title(StatisticsKind kind);
std::string_view statistics_kind_key(StatisticsKind kind);

struct StatisticsLine {
  trace::NameId name = 0;
  StatisticsKind kind = StatisticsKind::Ranges;
  trace::LaneId lane = 0;  ///< of the first of its events
  trace::Event example;    ///< the first of its events
  Nanoseconds sum_ns = 0;
  analysis::DurationStats durations;
};

struct TraceStatistics {
  std::pair<Nanoseconds, Nanoseconds> range{};
  std::vector<trace::LaneId> lanes;  ///< empty: all
  std::vector<StatisticsLine> lines;
  std::int64_t events = 0;
  bool exact = true;  ///< false: percentiles are accurate to 1 %

  Nanoseconds elapsed_ns() const { return range.second - range.first; }
};

/// For the events of `lanes` (empty: all) that start in [from, to). A blocking call counts as a call and, with its
/// waiting part, as a wait. Cost grows with the number of events. `progress` goes from 0 to 1. Empty if stopped.
TraceStatistics trace_statistics(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                 const std::vector<trace::LaneId>& lanes, const base::Stop* stop = nullptr,
                                 std::atomic<float>* progress = nullptr, std::size_t exact_durations = kExactDurations);

enum class LineColumn : std::uint8_t { Name, Kind, Count, Sum, Mean, P50, P99, Max, Share };

struct LineOrder {
  LineColumn by = LineColumn::Sum;
  bool ascending = false;
  bool operator==(const LineOrder&) const = default;
};

/// Which lines are wanted, in which order.
struct LineWish {
  std::optional<StatisticsKind> kind;  ///< empty: all
  std::string name;                    ///< see NameQuery
  LineOrder order;
  bool operator==(const LineWish&) const = default;
};

/// The indices of the wanted lines, in order. With the lines shown before, a line keeps its place among them until it
/// has overtaken another by a twentieth, so that a table of a live run can be read.
std::vector<std::size_t> arranged_lines(const TraceStatistics& statistics, const base::NameTable& names,
                                        const LineWish& wish, const std::vector<StatisticsLine>& before = {});

/// These lines as CSV (RFC 4180), with a header; durations in nanoseconds, the share of the elapsed time as a fraction.
std::string statistics_csv(const TraceStatistics& statistics, const base::NameTable& names,
                           const std::vector<std::size_t>& lines);

/// Computes the statistics in the background, and again while the trace grows.
class StatisticsJob {
 public:
  using Clock = std::chrono::steady_clock;

  std::optional<TraceStatistics> result;  ///< the previous one stays until the next is ready
  std::uint64_t number = 0;               ///< changes with every new result

  /// Call once per frame while the statistics are shown. `range`: empty for the whole trace.
  void update(const trace::SharedTrace& trace, const std::optional<std::pair<Nanoseconds, Nanoseconds>>& range,
              const std::vector<trace::LaneId>& lanes, Clock::time_point now);
  /// Stops the computation and forgets the result.
  void end();
  /// A computation is running.
  bool busy() const { return job_.busy(); }
  /// `result` is of another stretch than the one asked for.
  bool outdated() const { return outdated_; }
  float progress() const { return *progress_; }

 private:
  struct Asked {
    std::optional<std::pair<Nanoseconds, Nanoseconds>> range;
    std::vector<trace::LaneId> lanes;
    bool operator==(const Asked&) const = default;
  };

  std::shared_ptr<std::atomic<float>> progress_ = std::make_shared<std::atomic<float>>(0.0f);
  base::BackgroundJob<TraceStatistics> job_;  // writes *progress_
  Asked asked_;
  bool outdated_ = true, begun_ = false;
  std::uint64_t recorded_ = 0, evicted_ = 0;
  Clock::time_point started_{}, due_{};
};

}  // namespace lanescope::ui
