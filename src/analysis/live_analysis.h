// The same figures for a growing trace: reads each event once, and answers for any stretch of iterations from sums.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/in_flight.h"
#include "analysis/pace.h"
#include "analysis/running_totals.h"
#include "base/huge_pages.h"

namespace lanescope::analysis {

/// A finished iteration, with running totals from the start of the run to its end, so that a stretch's figures are the
/// difference of two records. Attribution is by time, not by ownership: an iteration's kernels may run during the next.
struct IterationRecord : RunningTotals {
  Nanoseconds start_ns = 0, end_ns = 0;
  std::int64_t number = 0;         ///< number of iterations ended, including this one
  std::int64_t in_flight = 0;      ///< run-ahead at its end
  std::int64_t run_ahead_max = 0;  ///< maximum since the previous record
  std::int64_t run_ahead_ns = 0;   ///< run-ahead integrated over time
  Nanoseconds iterations_ns = 0;   ///< the sum of their durations
  double loss = 0;                 ///< the newest one at its end (inclusive); NaN before the first
  /// Of the iterations since the previous record: just itself, until others are dropped.
  Nanoseconds shortest_ns = 0, longest_ns = 0;
  bool in_parts = false;           ///< not everything was recorded
  std::int64_t backlog_begun = 0;  ///< of Accumulator::backlog(), how many had begun by its end

  Nanoseconds duration() const { return end_ns - start_ns; }
  /// From the end of an earlier one: the time of which the GPU's totals are.
  Nanoseconds recorded_since(const IterationRecord& earlier) const {
    return in_parts ? recorded_ns - earlier.recorded_ns : end_ns - earlier.end_ns;
  }
};

/// Oldest first.
using Bubbles = base::Newest<Bubble>;

/// If a trace has several GPUs, it is read once more for each of them.
class LiveAnalysis {
 public:
  /// What is asked for besides the figures. Nothing: in_flight() stays empty, and links() only knows the owners.
  enum class Detail : std::uint8_t { Figures, Timeline };

  /// Keeps at most this many records: beyond that, drops every second one of the older half (sums stay exact).
  explicit LiveAnalysis(const trace::Trace& trace, std::size_t max_records = kMaxRecords,
                        std::size_t max_bubbles = kMaxBubbles, Detail detail = Detail::Timeline);
  static constexpr std::size_t kMaxRecords = 200'000, kMaxBubbles = 1'000'000;
  ~LiveAnalysis();

  /// Reads new, complete events that start before `until`: at most about `max_events`, so that it does not delay a
  /// frame. Returns false if there is more; the figures are then exact up to analysed_until().
  bool update(Nanoseconds until, std::size_t max_events = kAllEvents);
  static constexpr std::size_t kAllEvents = std::numeric_limits<std::size_t>::max();
  /// Closes everything still open, because no more events will come. For a finished run or an opened file.
  void finish();

  /// The whole run up to analysed_until(). A gap open at that time is not a bubble yet, and a launch whose operation
  /// has not arrived counts as run-ahead. finish() settles both; the result then equals that of analyse().
  Summary total() const;
  /// The same from the start of the first iteration, without set-up.
  Summary since_first_iteration() const;
  /// The same from the end of the iteration of `record`, one of records(): excludes the iterations up to it, and
  /// includes the GPU's work after the last one. The verdict is for the iterations.
  Summary since(const IterationRecord& record) const;
  /// The iterations in [from, to): from the end of the one before them to the end of the last. Percentiles are exact
  /// over the records kept. Costs a search, and sorting the iterations in the window. `period`: see steady_pace().
  Summary window(Nanoseconds from, Nanoseconds to, std::int64_t period = 1) const;
  /// All iterations from then on, without what is rare among them (once.h).
  Summary steady(Nanoseconds from) const;

  // For each GPU alone, numbered as in links().owners().gpus(). The functions above return over_gpus() of these. If
  // there is only one GPU, the results are the same, and the number is ignored.
  std::size_t gpu_count() const;
  Summary total(trace::GpuNumber gpu) const;
  Summary window(trace::GpuNumber gpu, Nanoseconds from, Nanoseconds to) const;
  const Bubbles& bubbles(trace::GpuNumber gpu) const;  ///< as bubbles()
  const InFlight& in_flight(trace::GpuNumber gpu) const;
  std::span<const IterationRecord> records(trace::GpuNumber gpu) const;  ///< as records(), of its process; kNobody: all

  /// Oldest first; of all processes together, ordered by end.
  std::span<const IterationRecord> records() const;
  /// The start of the first iteration, even after its record was dropped.
  std::optional<Nanoseconds> first_iteration_ns() const;
  /// Intervals without GPU work, oldest first; the newest max_bubbles.
  const Bubbles& bubbles() const;
  /// All markers (settings changes) so far, oldest first.
  const std::vector<trace::Event>& markers() const;
  /// The operations in flight on all GPUs together, at any time up to analysed_until().
  const InFlight& in_flight() const;
  /// Which call issued which operation, for the part of the trace seen by update().
  const trace::Links& links() const;
  /// The figures include everything that starts before this time, which is at most the newest end in the trace.
  Nanoseconds analysed_until() const;

 private:
  class Engine;
  struct Engines;
  std::unique_ptr<Engines> engines_;
};

// --- recent iterations -----------------------------------------------------------------------------------------------

/// One of the newest iterations, for a strip of ticks.
struct RecentIteration {
  Nanoseconds start_ns = 0, end_ns = 0;
  std::int64_t number = 0;
  bool reads = false;       ///< something was copied to the host in it
  bool waits = false;       ///< the CPU waited in it for the GPU
  Nanoseconds lost_ns = 0;  ///< the GPU idled so long in it after such waits
};
/// The newest `most`, or all since the start of the run or the last dropped record; oldest first.
std::vector<RecentIteration> recent_iterations(const LiveAnalysis& analysis, std::size_t most);

// --- loop step -------------------------------------------------------------------------------------------------------
// Converts totals to a LoopStep (pace.h).

/// `in_parts`: not everything was recorded. Of most iterations the operations are unknown then, and with them the state
/// of the launch queue, so that only the waits tell where a period begins and ends.
inline LoopStep loop_step(const IterationRecord& r, bool in_parts = false) {
  if (in_parts) return {r.start_ns, r.end_ns, r.number, r.sync_count, 0, 0, 0, true};
  return {r.start_ns, r.end_ns, r.number, r.sync_count, r.launch_count, r.gpu_op_count, r.in_flight};
}

}  // namespace lanescope::analysis
