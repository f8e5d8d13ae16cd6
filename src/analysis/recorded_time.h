// Follows, in time order, the stretches in which the GPU's work and the calls of one engine's processes were recorded
// (trace/coverage.h). What lies between them is neither busy nor idle, and counts for nothing.
#pragma once

#include <limits>
#include <vector>

#include "trace/owners.h"
#include "trace/trace.h"

namespace lanescope::analysis {

using base::Nanoseconds;

/// With figures for one GPU, of the process that uses it. For all GPUs together, of the processes that use one (as long
/// as none does, of all): time counts if one of them was recorded, so that nothing recorded is left out.
class RecordedTime {
 public:
  static constexpr Nanoseconds kNever = trace::Coverage::kNever;

  RecordedTime(const trace::Trace& trace, trace::GpuNumber only) : trace_(trace), owners_(trace), only_(only) {}

  /// Not everything is recorded. Does not change back.
  bool in_parts() const { return in_parts_; }
  /// At the position reached by pass().
  bool on() const { return on_ > 0; }
  /// The start of the current stretch, if on().
  Nanoseconds since() const { return since_; }

  /// Looks for what has been added. Call before passing what it may concern; everything before `position` has been
  /// passed.
  void refresh(Nanoseconds position);
  /// The time of the next boundary; kNever if none is known.
  Nanoseconds next() const { return next_; }
  enum class Edge : std::uint8_t { Begins, Ends, Neither };
  /// Passes the boundary at next(). Neither: another process is recorded before and after it.
  Edge pass();
  /// A call at this position is in a stretch in which all calls are recorded, which may begin before that of the GPU.
  bool calls_on(Nanoseconds t) const;
  /// Calls up to here have got their operations, or will never get them: the end of the stretch before the current one.
  Nanoseconds earlier_end() const { return earlier_end_; }

 private:
  struct Followed {
    const trace::Coverage* coverage;
    trace::Coverage::Index at = 0;  // the interval that is open at the position, or the next one
    bool inside = false;
  };

  bool choose();
  Nanoseconds boundary_of(const Followed& f) const;
  void find_next();

  const trace::Trace& trace_;
  trace::Owners owners_;
  const trace::GpuNumber only_;
  std::vector<Followed> followed_;
  bool in_parts_ = false;
  std::size_t seen_lanes_ = 0, seen_coverages_ = 0;
  // The number of processes that are being recorded; without any in parts, what there is counts as one.
  int on_ = 1, on_later_ = 0;
  Nanoseconds position_ = trace::Coverage::kAlways;
  Nanoseconds since_ = trace::Coverage::kAlways;
  Nanoseconds earlier_end_ = trace::Coverage::kAlways, newest_end_ = trace::Coverage::kAlways;
  Nanoseconds next_ = kNever;
  std::size_t next_of_ = 0;  // in followed_, or kAllOf: other processes are followed from next_ on
  static constexpr std::size_t kAllOf = std::numeric_limits<std::size_t>::max();
};

// --- kept range ------------------------------------------------------------------------------------------------------
// The part of a trace in which nothing is missing.

struct KeptRange {
  base::Nanoseconds from = 0, to = 0;
  bool empty = true;
};

/// From the oldest event to the newest end. If events were evicted, it begins at the latest start of the rows that lost
/// some: before that, an empty lane may be an evicted one.
KeptRange kept_range(const trace::Trace& trace);

}  // namespace lanescope::analysis
