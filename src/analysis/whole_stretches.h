// The iterations that were recorded as a whole, found in a trace at once (whole_iterations.h follows a growing one).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/owners.h"
#include "trace/trace.h"

namespace lanescope::analysis {

using base::Nanoseconds;

struct TimeSpan {
  Nanoseconds from = 0, to = 0;
};

/// The iterations of [from, to) that lie wholly in recorded time, one after the other. With `gpu`, those of the process
/// that uses it. As everywhere, an iteration lasts from the end of the one before it to its own.
struct RecordedIterations {
  std::vector<TimeSpan> iterations;
  bool in_parts = false;  ///< not everything was recorded
  bool any = false;       ///< there are iterations, recorded or not
};
RecordedIterations recorded_iterations(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                       trace::GpuNumber gpu);

/// When what the GPU did was recorded, in [from, to); kNobody: that of any GPU.
std::vector<TimeSpan> recorded_time(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, trace::GpuNumber gpu);
/// The time in both; each ascending.
std::vector<TimeSpan> in_both(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b);

/// The time that counts where not everything was recorded: these iterations; without any, all of the recorded time.
struct WholeStretches {
  std::vector<TimeSpan> stretches;  ///< ascending
  bool by_iteration = false;
  std::int64_t iterations = 0;
  Nanoseconds recorded_ns = 0;

  void add(Nanoseconds from, Nanoseconds to) {
    if (stretches.empty() || stretches.back().to != from) stretches.push_back({from, from});
    stretches.back().to = to;
    recorded_ns += to - from;
  }
  /// How much of [from, to) lies in them.
  Nanoseconds within(Nanoseconds from, Nanoseconds to) const {
    Nanoseconds sum = 0;
    auto at = std::ranges::upper_bound(stretches, from, {}, &TimeSpan::to);
    for (; at != stretches.end() && at->from < to; ++at) sum += std::min(to, at->to) - std::max(from, at->from);
    return sum;
  }
};
/// Empty if everything is recorded.
std::optional<WholeStretches> whole_stretches(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                              trace::GpuNumber gpu);

}  // namespace lanescope::analysis
