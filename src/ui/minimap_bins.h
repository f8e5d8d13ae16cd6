// The whole run in a few hundred bins of time: how many events, how busy the GPU, how long the CPU waited. They are
// aligned to the clock, so that what has been seen stays as it is while the run grows: a frame costs what is new, and
// never more than its budget.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/live_analysis.h"
#include "trace/trace.h"

namespace lanescope::ui {

struct MinimapBin {
  std::int64_t events = 0;  ///< that start in it
  float busy = 0;           ///< share of its time in which the GPU had something to run, 0 to 1
  float waiting = 0;        ///< share in which the CPU waited

  bool operator==(const MinimapBin&) const = default;
};

class MinimapBins {
 public:
  static constexpr std::size_t kMost = 1024;  ///< more are joined in pairs
  /// Sub-rows that a frame looks at: about a millisecond.
  static constexpr std::size_t kBudget = 4000;

  /// Goes on where it was. What lies before `edge` is known, and only that is counted; of a live run the newest bins
  /// are looked at again. Shares come from the iterations' records, and where there are none from the lanes themselves:
  /// of the busiest GPU lane, of the CPU lane that waits most.
  void update(const trace::Trace& trace, std::span<const analysis::IterationRecord> records, base::Nanoseconds begin,
              base::Nanoseconds edge, bool live, std::size_t budget = kBudget);
  void reset() { *this = {}; }

  base::Nanoseconds from() const { return from_; }
  base::Nanoseconds bin_ns() const { return base::Nanoseconds{1} << exponent_; }
  const std::vector<MinimapBin>& bins() const { return bins_; }
  std::int64_t most_events() const { return most_events_; }
  /// All that is known is in the bins.
  bool complete() const { return complete_; }

 private:
  void join_pairs();
  MinimapBin bin(const trace::Trace& trace, std::span<const analysis::IterationRecord> records, base::Nanoseconds from,
                 base::Nanoseconds to) const;

  std::vector<MinimapBin> bins_;
  base::Nanoseconds from_ = 0;  // of the first bin; a multiple of bin_ns()
  int exponent_ = 10;
  std::size_t final_ = 0;  // bins that stay as they are; those after them are looked at again
  std::size_t next_ = 0;   // the one to look at next
  std::int64_t most_events_ = 0;
  bool complete_ = false;
};

}  // namespace lanescope::ui
