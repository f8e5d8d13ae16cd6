// The same figures while a trace grows: reads each event once, and answers for any stretch of iterations from sums.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/summary.h"

namespace lanescope::analysis {

/// One finished iteration, with running totals from the beginning of the run up to its end, so that the figures of any
/// stretch are the difference of two records.
struct IterationRecord {
  Nanoseconds start_ns = 0, end_ns = 0;
  std::int64_t number = 0;  ///< how many iterations have ended, this one included
  Nanoseconds busy_ns = 0, kernel_ns = 0, wait_ns = 0;
  std::array<Nanoseconds, kBubbleCauses> bubble_ns{};
  std::int64_t sync_count = 0, launch_count = 0;
  std::int64_t h2d_bytes = 0, d2h_bytes = 0;
  Nanoseconds h2d_ns = 0, d2h_ns = 0;
  double loss = 0;  ///< the newest one known at its end; NaN before the first
};

class LiveAnalysis {
 public:
  /// At most this many records: beyond it, every second one of the older half is dropped (sums stay exact).
  explicit LiveAnalysis(const trace::Trace& trace, std::size_t max_records = 400'000, std::size_t max_bubbles = 200'000);
  ~LiveAnalysis();

  /// Reads what is new and starts before `until` (and is complete).
  void update(Nanoseconds until);
  /// No more events will come: what is still open is closed. For a finished run or an opened file.
  void finish();

  /// The whole run so far.
  Summary total() const;
  /// The iterations that lie in [from, to). Percentiles are exact over the records that are kept.
  Summary window(Nanoseconds from, Nanoseconds to) const;

  std::span<const IterationRecord> records() const;   ///< oldest first
  const std::deque<Bubble>& bubbles() const;          ///< oldest first, the newest max_bubbles
  /// Markers (settings changes) so far: their events, oldest first.
  const std::vector<trace::Event>& markers() const;
  Nanoseconds analysed_until() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace lanescope::analysis
