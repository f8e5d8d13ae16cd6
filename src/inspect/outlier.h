// The iteration that took longest, and what it did longer than the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/background_job.h"
#include "inspect/event_ref.h"

namespace lanescope::ui {

struct Outlier {
  std::int64_t number = 0;  ///< as displayed, from 1
  std::int64_t of = 0;      ///< iterations that were compared
  base::Nanoseconds start_ns = 0, end_ns = 0;
  base::Nanoseconds excess_ns = 0;  ///< over the median of all
  /// What takes at least half of the excess more time in it than in an iteration of median length: GPU work, else a
  /// call, else a range of the program. Empty: nothing does.
  std::string cause;
  std::optional<EventRef> event;  ///< the longest of that name in it
};

/// Of the iterations in [since, until), without the first one. Empty if there are fewer than three, or `stop` is set.
/// Costs a pass over the iterations, and one over the events of two of them.
std::optional<Outlier> worst_iteration(const trace::Trace& trace, base::Nanoseconds since, base::Nanoseconds until,
                                       const base::Stop* stop = nullptr);

/// "worst of 68,364 iterations: 51,200, +213 µs, because of cudaHostAlloc"; translated.
std::string outlier_text(const Outlier& outlier);

}  // namespace lanescope::ui
