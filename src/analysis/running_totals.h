// Totals from the start of a window to a point in time. The difference of two totals describes the interval between
// them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/summary.h"

namespace lanescope::analysis {

/// The number of ranges in which the CPU waits for the GPU that are tracked separately: the first ones found.
inline constexpr std::size_t kSyncPlaces = 12;

/// What a plot or the pace needs of many records comes last here and first in IterationRecord, so that it is close
/// together.
struct RunningTotals {
  CauseTimes bubble_ns{};                                   ///< of gaps with a known cause; excludes the open one
  Nanoseconds after_read_ns = 0;                            ///< the part of AfterSync after a copy to the host
  Nanoseconds after_upload_ns = 0;                          ///< the part of AfterSync after a copy to the device
  Nanoseconds own_work_ns = 0;                              ///< the part of Cpu that is_own_work()
  std::array<Nanoseconds, kSyncPlaces> after_sync_at_ns{};  ///< the part of AfterSync by Bubble::place
  std::int64_t bubble_count = 0;                            ///< finished bubbles
  std::int64_t cpu_op_count = 0;
  std::int64_t stale_reads = 0;
  std::int64_t h2d_bytes = 0, d2h_bytes = 0;  ///< for a copy in progress, the share that has passed
  Nanoseconds h2d_ns = 0, d2h_ns = 0;
  Nanoseconds recorded_ns = 0;  ///< how much of the time the GPU's work and all calls were recorded
  Nanoseconds busy_ns = 0, kernel_ns = 0, wait_ns = 0;
  Nanoseconds compute_ns = 0;  ///< with kernels other than those of collectives
  Nanoseconds loader_wait_ns = 0;
  std::int64_t sync_count = 0, launch_count = 0, gpu_op_count = 0;

  RunningTotals& operator-=(const RunningTotals& earlier) { return assign_difference(*this, earlier); }
  RunningTotals& operator+=(const RunningTotals& more);
  friend RunningTotals operator-(const RunningTotals& later, const RunningTotals& earlier) {
    RunningTotals totals;
    return totals.assign_difference(later, earlier);
  }
  /// Becomes later - earlier, either of which may be this. In one pass: a copy that is changed at once stalls the CPU.
  RunningTotals& assign_difference(const RunningTotals& later, const RunningTotals& earlier);

  /// Adds a gap that was closed after these totals had been taken at time `at`: the part of it before `at`.
  void add_gap(const Bubble& gap, Nanoseconds at) {
    if (at > gap.start_ns) add_part(gap, at);
  }
  /// Takes up to `ns` off the idle time that a slower CPU causes, and off the recorded time. Returns the share of that
  /// idle time which is left.
  double take_off(Nanoseconds ns);
  void keep(double share);
  /// The gap is included already, but without a place: adds the place.
  void add_place(const Bubble& gap, Nanoseconds at);

 private:
  void add_part(const Bubble& gap, Nanoseconds at);
};

/// Writes the totals into the corresponding figures.
void fill(Summary& summary, const RunningTotals& totals);
/// Writes those that need the GPU's work or all calls: not the waits, the synchronisations and the ops of a CPU, which
/// are known all the time.
void fill_recorded(Summary& summary, const RunningTotals& totals);
/// The ranges behind the indices in Bubble::place.
class SyncPlaces {
 public:
  explicit SyncPlaces(const base::NameTable& names) : names_(names) {}
  /// The index of a range, assigned on first use; kNoPlace if there are too many.
  std::uint8_t number(trace::NameId range);
  void forget() { ranges_ = {}; }
  std::string text(std::size_t number) const { return std::string(names_.text(ranges_[number])); }
  /// Pass every range before querying it.
  void learn(const trace::Event& range) {
    if (kinds_.size() <= range.name) kinds_.resize(std::size_t{range.name} + 1);
    kinds_[range.name] = trace::range_kind_of(range);
  }
  trace::RangeKind kind(std::size_t number) const {
    return ranges_[number] < kinds_.size() ? kinds_[ranges_[number]] : trace::RangeKind::Other;
  }

 private:
  const base::NameTable& names_;
  std::array<trace::NameId, kSyncPlaces> ranges_{};
  std::vector<trace::RangeKind> kinds_;  // by the range's name
};

/// Makes [from, to), with these totals and iterations, the stretch of the verdict. (Without iterations, the totals may
/// be those of a longer one; set Judged::recorded_ns then.)
void set_judged(Summary& summary, Nanoseconds from, Nanoseconds to, const RunningTotals& totals,
                std::int64_t iterations, const SyncPlaces& places);

}  // namespace lanescope::analysis
