// Why the GPU ran dry: tracks the calls that may have blocked the CPU at the time, and decides which one did.
#pragma once

#include <vector>

#include "analysis/lane_facts.h"
#include "analysis/run_ahead.h"
#include "analysis/summary.h"

namespace lanescope::analysis {

/// No launch takes longer from its return until its operation starts on an idle GPU: 99 of 100 take 2 to 5 µs on
/// NVIDIA's, 20 to 24 µs on an MI300.
inline constexpr Nanoseconds kLongestLaunch = 100 * base::kMicrosecond;

/// Receives calls in start order. Forgets those that can no longer matter.
class GapCauses {
 public:
  /// A synchronisation of a thread, in a range of the program. `idle_since`: the GPU has no work after this time, as
  /// far as known.
  void sync(const trace::Event& call, trace::LaneId lane, std::size_t thread, RangeAround range,
            Nanoseconds idle_since);
  /// A call that blocks its thread. It explains late launches of that thread only: a loader's pin thread may allocate
  /// while the program waits for something else.
  void hold(const trace::Event& call, trace::LaneId lane, std::size_t thread, Hold hold, Nanoseconds idle_since);
  /// A statement that pins memory, by copying values into it: it blocks its thread like a call that does.
  void pin(const trace::Event& range, trace::LaneId lane, std::size_t thread, Nanoseconds idle_since);
  /// A range of the program that is reported only now, after the calls in it.
  void late_range(const trace::Event& range, std::size_t thread);
  /// A range in which a thread waits for another thread of the program.
  void wait(const trace::Event& range, trace::LaneId lane, std::size_t thread, Nanoseconds idle_since);

  /// Explains the gap, of which only start and end are set and which ends with an operation issued by `launch`, a call
  /// of `thread` (null: unknown). The first cause that applies:
  /// - GraphGap: that call also issued the operation before the gap (`same_launch`);
  /// - Loader: the launch is late by [from, start of the launch), and its thread spent more than half of that waiting
  ///   for another thread. Without these waits the launch would have come in less than half the time, no matter what a
  ///   sync before them or slow issuing after them added. Time after the start of the launch does not count: if the
  ///   late launch is itself a copy that blocks the CPU for longer than the waits took, the loader is not the cause. If
  ///   the launch is unknown, the waits of all threads count;
  /// - Pinning, Allocation: a synchronisation was in progress when the GPU ran dry, but its thread then spent more than
  ///   half of the time until the launch pinning memory or allocating it;
  /// - Cpu: a synchronisation was in progress, but the program then worked for longer than that call took, for more
  /// than
  ///   half of the gap, and for more than kWorkAfterSyncNs: without the work more would be gained than without the
  ///   wait;
  /// - AfterSync: a synchronisation was in progress when the GPU ran dry, and the launch came only after it;
  /// - Staging, Pinning, Allocation: otherwise, the late launch is itself a call that blocks the CPU; or such calls
  /// together cover
  ///   more than half of the gap, and then the kind that covers most of it;
  /// - Dependency, unless the time before the launch is the Cpu's: the call had returned when the GPU ran dry, and
  /// `behind_copy`: the last work was a copy on a
  ///   different stream than the operation's;
  /// - Unknown: the launch is;
  /// - Cpu: more than half of the gap passed before the launch began;
  /// - GpuWait: the call had returned more than kLongestLaunch before the operation started;
  /// - LaunchLatency: everything else.
  void explain(Bubble& gap, const IssuingCall* launch, std::size_t thread, bool behind_copy, bool same_launch);

 private:
  struct HeldCall {
    Nanoseconds start = 0, end = 0;
    Nanoseconds wait_end = 0;  ///< when what it waited for had ended
    trace::NameId name = 0;
    trace::LaneId lane = 0;
    Hold hold = Hold::None;
    std::size_t thread = 0;  ///< for a wait or a synchronisation
    RangeAround range;       ///< for a synchronisation
  };
  struct Share {
    const HeldCall* longest = nullptr;
    Nanoseconds covered_ns = 0;
  };
  const HeldCall* drain(Nanoseconds from, Nanoseconds issued, const IssuingCall* launch) const;
  template <class Counts>
  static Share share(const std::vector<HeldCall>& held, Nanoseconds from, Nanoseconds to, Counts counts);
  /// The longest call of the kind that covers most, if all of them together cover more than half.
  const HeldCall* holder(Nanoseconds from, Nanoseconds to, const IssuingCall* launch, std::size_t thread) const;
  /// The longest call that pins or allocates memory before the launch, if such calls cover more than half of that time.
  const HeldCall* kept_from_launching(const Bubble& gap, const IssuingCall* launch, std::size_t thread) const;
  const HeldCall* wait_for_data(const Bubble& gap, const IssuingCall* launch, std::size_t thread) const;
  static bool outlived_by_work(const HeldCall& sync, const Bubble& gap, Nanoseconds issued);
  static void remember(std::vector<HeldCall>& held, const HeldCall& call, Nanoseconds idle_since);

  std::vector<HeldCall> syncs_;
  std::vector<HeldCall> holds_;
  std::vector<HeldCall> waits_;
};

}  // namespace lanescope::analysis
