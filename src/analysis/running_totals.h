// What has added up from the beginning of a window until an instant. Totals of two instants are subtracted to get what
// lies between them.
#pragma once

#include <array>
#include <cstdint>

#include "analysis/summary.h"

namespace lanescope::analysis {

/// So many ranges of the program in which the CPU waits for the GPU are told apart, the first that are met.
inline constexpr std::size_t kSyncPlaces = 6;

struct RunningTotals {
  Nanoseconds busy_ns = 0, kernel_ns = 0, wait_ns = 0;
  Nanoseconds loader_wait_ns = 0;
  CauseTimes bubble_ns{};           ///< of gaps whose cause is known: the open one is not yet in it
  Nanoseconds after_read_ns = 0;    ///< the part of AfterSync where the GPU had last run a copy to the host
  Nanoseconds after_upload_ns = 0;  ///< the part of AfterSync where it had last run a copy to the device
  std::array<Nanoseconds, kSyncPlaces> after_sync_at_ns{};  ///< the part of AfterSync by Bubble::place
  std::int64_t bubble_count = 0;                            ///< bubbles that have ended
  std::int64_t sync_count = 0, launch_count = 0, gpu_op_count = 0, cpu_op_count = 0;
  std::int64_t h2d_bytes = 0, d2h_bytes = 0;  ///< of a copy that is under way, the share that has passed
  Nanoseconds h2d_ns = 0, d2h_ns = 0;

  RunningTotals& operator-=(const RunningTotals& earlier);
  friend RunningTotals operator-(RunningTotals later, const RunningTotals& earlier) { return later -= earlier; }

  /// A gap was closed after these totals had been taken at the instant `at`: what lies before `at` belongs in them.
  void add_gap(const Bubble& gap, Nanoseconds at);
  /// The gap is in them already, as one without a place.
  void add_place(const Bubble& gap, Nanoseconds at);
};

/// Writes the totals into the figures of the same meaning.
void fill(Summary& summary, const RunningTotals& totals);
/// The ranges that Bubble::place is a number of.
class SyncPlaces {
 public:
  explicit SyncPlaces(const base::NameTable& names) : names_(names) {}
  /// The number of a range, given when it is first met; kNoPlace when there are too many.
  std::uint8_t number(trace::NameId range);
  std::string text(std::size_t number) const { return std::string(names_.text(ranges_[number])); }

 private:
  const base::NameTable& names_;
  std::array<trace::NameId, kSyncPlaces> ranges_{};
};

/// Makes [from, to), with these totals and so many iterations, the stretch that the verdict is about.
void set_judged(Summary& summary, Nanoseconds from, Nanoseconds to, const RunningTotals& totals,
                std::int64_t iterations, const SyncPlaces& places);

}  // namespace lanescope::analysis
