// The same figures while a trace grows: reads each event once, and answers for any stretch of iterations from sums.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/running_totals.h"

namespace lanescope::analysis {

/// One finished iteration, with running totals from the beginning of the run up to its end, so that the figures of any
/// stretch are the difference of two records. By time, not by ownership: an iteration's kernels may run during the
/// next.
struct IterationRecord : RunningTotals {
  Nanoseconds start_ns = 0, end_ns = 0;
  std::int64_t number = 0;         ///< how many iterations have ended, this one included
  Nanoseconds iterations_ns = 0;   ///< their durations added up
  std::int64_t run_ahead_ns = 0;   ///< run-ahead integrated over time
  std::int64_t run_ahead_max = 0;  ///< its maximum since the record before this one
  std::int64_t in_flight = 0;      ///< run-ahead at its end
  double loss = 0;                 ///< the newest one known at its end (that instant included); NaN before the first
  /// Of the iterations since the record before this one: itself, until others are dropped.
  Nanoseconds shortest_ns = 0, longest_ns = 0;

  Nanoseconds duration() const { return end_ns - start_ns; }
};

class LiveAnalysis {
 public:
  /// At most this many records: beyond it, every second one of the older half is dropped (sums stay exact).
  explicit LiveAnalysis(const trace::Trace& trace, std::size_t max_records = 400'000,
                        std::size_t max_bubbles = 1'000'000);
  ~LiveAnalysis();

  /// Reads what is new and starts before `until` (and is complete): about `max_events` of it at most, so that a frame
  /// is not held up; the rest is read by the next calls. False when there is more: the figures then reach to
  /// analysed_until(), and are as right as ever up to there.
  bool update(Nanoseconds until, std::size_t max_events = kAllEvents);
  static constexpr std::size_t kAllEvents = std::numeric_limits<std::size_t>::max();
  /// No more events will come: what is still open is closed. For a finished run or an opened file.
  void finish();

  /// The whole run so far: until analysed_until(). The gap that is open at that edge is not yet a bubble, and a launch
  /// whose operation has not come yet counts as run-ahead; after finish() both are settled, and this is what analyse()
  /// says.
  Summary total() const;
  /// The same from the start of the first iteration on: without what setting up took.
  Summary since_first_iteration() const;
  /// The same from the end of an iteration on, of which `record` is in records(): without those up to it, and with what
  /// the GPU still did after the last one. The verdict is that of the iterations.
  Summary since(const IterationRecord& record) const;
  /// The iterations that lie in [from, to), from the end of the one before them to the end of the last. Percentiles are
  /// exact over the records that are kept. Costs a search, and a sort of the iterations in it.
  Summary window(Nanoseconds from, Nanoseconds to) const;

  std::span<const IterationRecord> records() const;  ///< oldest first
  /// Where the first iteration began; stays when its record is dropped.
  std::optional<Nanoseconds> first_iteration_ns() const;
  const std::deque<Bubble>& bubbles() const;  ///< oldest first, the newest max_bubbles
  /// Markers (settings changes) so far: their events, oldest first.
  const std::vector<trace::Event>& markers() const;
  /// Everything that starts before this instant is in the figures; never later than the newest end in the trace.
  Nanoseconds analysed_until() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace lanescope::analysis
