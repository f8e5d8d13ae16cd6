// The figures of a trace by brute force, from all events at once: examines for every elementary interval between two
// neighbouring times what runs in it, and for every call whether it explains a gap.
#pragma once

#include <array>
#include <vector>

#include "analysis/summary.h"
#include "trace/trace.h"

namespace lanescope::analysis_test {

struct ReferenceBubble {
  base::Nanoseconds start = 0, end = 0;
  analysis::BubbleCause cause = analysis::BubbleCause::StartOrEnd;
  base::Nanoseconds wake = 0, cpu = 0, launch = 0;
};

struct Reference {
  base::Nanoseconds busy = 0, kernel = 0, h2d = 0, d2h = 0, wait = 0, loader_wait = 0;
  std::int64_t syncs = 0, launches = 0, ops = 0, h2d_bytes = 0, d2h_bytes = 0;
  std::int64_t run_ahead_ns = 0, run_ahead_max = 0;
  std::vector<ReferenceBubble> bubbles;  ///< a gap's parts one after the other
  std::int64_t gaps = 0;

  std::array<base::Nanoseconds, analysis::kBubbleCauses> by_cause() const;
  base::Nanoseconds bubble_sum() const;
};

Reference reference(const trace::Trace& trace, const std::vector<trace::Event>& events, base::Nanoseconds from,
                    base::Nanoseconds to);

}  // namespace lanescope::analysis_test
