// The whole run in a few hundred bins of time: number of events, GPU load, CPU waiting. Bins are aligned to multiples
// of their length, so that finished ones stay unchanged while the run grows. A frame only processes what is new, within
// its budget.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/live_analysis.h"
#include "trace/trace.h"

namespace lanescope::ui {

struct MinimapBin {
  std::int64_t events = 0;  ///< that start in the bin
  float busy = 0;           ///< share of its time with GPU work, 0 to 1; of the recorded part
  float waiting = 0;        ///< share in which the CPU waited
  float recorded = 1;       ///< share in which the GPU's work was recorded; 0: nothing is known of it

  bool operator==(const MinimapBin&) const = default;
};

class MinimapBins {
 public:
  static constexpr std::size_t kMost = 1024;  ///< more are merged in pairs
  /// Sub-rows examined per frame: about a millisecond.
  static constexpr std::size_t kBudget = 4000;

  /// Continues where it stopped. Counts only events before `edge`, up to which everything is known; recomputes the
  /// newest bins of a live run. The shares of a bin with several iterations come from their records, others from the
  /// lanes: the busiest GPU lane, and the CPU lane that waits most.
  void update(const trace::Trace& trace, std::span<const analysis::IterationRecord> records, base::Nanoseconds begin,
              base::Nanoseconds edge, bool live, std::size_t budget = kBudget);
  void reset() { *this = {}; }

  base::Nanoseconds from() const { return from_; }
  base::Nanoseconds bin_ns() const { return base::Nanoseconds{1} << exponent_; }
  const std::vector<MinimapBin>& bins() const { return bins_; }
  std::int64_t most_events() const { return most_events_; }
  /// True if everything known is in the bins.
  bool complete() const { return complete_; }

 private:
  void join_pairs();
  MinimapBin bin(const trace::Trace& trace, std::span<const analysis::IterationRecord> records, base::Nanoseconds from,
                 base::Nanoseconds to) const;

  std::vector<MinimapBin> bins_;
  base::Nanoseconds from_ = 0;  // of the first bin; a multiple of bin_ns()
  int exponent_ = 10;
  std::size_t final_ = 0;  // bins that no longer change; later ones are recomputed
  std::size_t next_ = 0;   // the next bin to process
  std::int64_t most_events_ = 0;
  bool complete_ = false;
};

}  // namespace lanescope::ui
