// What has added up from the beginning of a window until an instant. Totals of two instants are subtracted to get what
// lies between them.
#pragma once

#include <array>
#include <cstdint>

#include "analysis/summary.h"

namespace lanescope::analysis {

struct RunningTotals {
  Nanoseconds busy_ns = 0, kernel_ns = 0, wait_ns = 0;
  Nanoseconds loader_wait_ns = 0;
  std::array<Nanoseconds, kBubbleCauses> bubble_ns{};  ///< of gaps whose cause is known: the open one is not yet in it
  Nanoseconds after_read_ns = 0;    ///< the part of AfterSync where the GPU had last run a copy to the host
  Nanoseconds after_upload_ns = 0;  ///< the part of AfterSync where it had last run a copy to the device
  std::int64_t bubble_count = 0;    ///< bubbles that have ended
  std::int64_t sync_count = 0, launch_count = 0, gpu_op_count = 0, cpu_op_count = 0;
  std::int64_t h2d_bytes = 0, d2h_bytes = 0;  ///< of a copy that is under way, the share that has passed
  Nanoseconds h2d_ns = 0, d2h_ns = 0;

  RunningTotals& operator-=(const RunningTotals& earlier);
  friend RunningTotals operator-(RunningTotals later, const RunningTotals& earlier) { return later -= earlier; }

  /// A gap was closed after these totals had been taken at the instant `at`: what lies before `at` belongs in them.
  void add_gap(const Bubble& gap, Nanoseconds at);
};

/// Writes the totals into the figures of the same meaning.
void fill(Summary& summary, const RunningTotals& totals);
/// Makes [from, to), with these totals, the stretch that the verdict is about.
void set_judged(Summary& summary, Nanoseconds from, Nanoseconds to, const RunningTotals& totals);

}  // namespace lanescope::analysis
