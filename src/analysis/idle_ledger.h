// Where in the program a GPU's idle time comes from: the idle time of the verdict's stretch, divided among places.
//
// A place is the best that is known: the user's line that made the call which a gap is blamed on (trace::CallSites),
// else the innermost range of the program around that call (an operator, an annotation), else the call's name, else
// only the cause. Of a gap in which the CPU works on something else, it is the range that fills more than half of that
// time, where no line is known.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "analysis/summary.h"

namespace lanescope::analysis {

/// The causes of one group at one place.
struct IdleRow {
  std::string place;       ///< "train.py:87", "aten::item", "cudaMalloc"; empty: only the cause is known
  std::string detail;      ///< the range or call at this place, if that says more: "aten::item"
  std::string file;        ///< if the place is a line, its whole path
  std::uint32_t line = 0;  ///< 0: the place is not a line
  BubbleCause cause = BubbleCause::Unknown;  ///< the one with most of the time
  bool own_work = false;                     ///< most of it: gaps that the program's own work fills, see Summary
  Nanoseconds idle_ns = 0;
  Nanoseconds longest_ns = 0;       ///< within the stretch
  Bubble longest;                   ///< whole
  std::vector<Nanoseconds> starts;  ///< of its gaps, ascending
  /// How it changes over the stretch: idle time per iteration, as the mean of as many iterations as it takes to have
  /// at most kIdleSlices values; without iterations, in as many equal parts of the time.
  std::vector<double> over_time;

  std::int64_t gaps() const { return static_cast<std::int64_t>(starts.size()); }
};
inline constexpr std::size_t kIdleRows = 5, kIdleSlices = 40;

struct IdleLedger {
  Nanoseconds from_ns = 0, to_ns = 0;  ///< the stretch of the verdict, Judged
  Nanoseconds span_ns = 0;             ///< how much of it was recorded
  Nanoseconds idle_ns = 0;             ///< its idle time: exactly the sum of `rows` and `other`
  std::int64_t iterations = 0;         ///< 0: times are of the whole stretch
  double iteration_ns = 0;             ///< the mean; 0: none
  std::vector<IdleRow> rows;           ///< the largest kIdleRows, largest first
  IdleRow other;                       ///< all others together
  std::int64_t other_places = 0;
  Nanoseconds largest_other_ns = 0;
  trace::GpuNumber gpu = trace::kNobody;  ///< with several GPUs, the one that this is about: that of the verdict
  std::string gpu_name;

  bool empty() const { return idle_ns <= 0; }
  double share(Nanoseconds ns) const {
    return span_ns > 0 ? static_cast<double>(ns) / static_cast<double>(span_ns) : 0;
  }
  /// Per iteration; without iterations, in all.
  double each(Nanoseconds ns) const { return iterations > 0 ? share(ns) * iteration_ns : static_cast<double>(ns); }
};

/// `bubbles` are those of the summary's GPU (LiveAnalysis::bubbles) that overlap the stretch, oldest first; what they
/// leave out, because it is no longer kept, has no place. Empty if there is no verdict to speak of. One pass over them,
/// with a few searches in the trace for each. Any thread; soon empty if `stop` is set meanwhile.
IdleLedger idle_ledger(const trace::Trace& trace, std::span<const Bubble> bubbles, const Summary& summary,
                       const std::atomic<bool>* stop = nullptr);
/// The same of a trace that does not grow.
IdleLedger idle_ledger(const trace::Trace& trace, const LiveAnalysis& analysis, const Summary& summary,
                       const std::atomic<bool>* stop = nullptr);
/// For the first, from an analysis that goes on meanwhile.
std::vector<Bubble> bubbles_of(const LiveAnalysis& analysis, const Summary& summary);

/// The place in words, translated if only the cause is known: "not known".
std::string place_text(const IdleRow& row);
/// What happens there, translated: "after a sync", "launched too slowly", "other CPU work".
std::string idle_text(const IdleRow& row);

}  // namespace lanescope::analysis
