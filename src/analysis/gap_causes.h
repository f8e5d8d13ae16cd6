// Why the GPU ran dry: the calls that could have held the CPU at the time, and the rule that tells which one did.
#pragma once

#include <vector>

#include "analysis/open_ranges.h"
#include "analysis/run_ahead.h"
#include "analysis/summary.h"

namespace lanescope::analysis {

/// Told of calls in the order in which they start; forgets what cannot matter any more.
class GapCauses {
 public:
  /// A synchronisation of a thread, in a range of the program. `idle_since`: the GPU has no work after this instant, as
  /// far as it is known.
  void sync(const trace::Event& call, trace::LaneId lane, std::size_t thread, RangeAround range,
            Nanoseconds idle_since);
  /// A call that holds its thread. It explains what that thread launches late, and nothing that another one does: a
  /// loader's pin thread may allocate while the program waits for something else.
  void hold(const trace::Event& call, trace::LaneId lane, std::size_t thread, Hold hold, Nanoseconds idle_since);
  /// A range of the program that is reported only now, after the calls in it.
  void late_range(const trace::Event& range, std::size_t thread);
  /// A range in which a thread waits for another thread of the program.
  void wait(const trace::Event& range, trace::LaneId lane, std::size_t thread, Nanoseconds idle_since);

  /// The gap [from, to) is closed by an operation that `launch`, a call of `thread`, issued (null: not known). The
  /// first that fits:
  /// - Loader: the launch is late, by [from, begin of the launch), and its thread spent more than half of that waiting
  ///   for another thread: without these waits the launch would have come in less than half the time, whatever a sync
  ///   before them or slow issuing after them added. What follows the begin of a launch is none of a loader's: a late
  ///   launch that is itself a copy which holds the CPU for longer than the waits took is not the loader's. Where the
  ///   launch is not known, the waits of all threads count;
  /// - AfterSync: a synchronisation was under way when the GPU ran dry, and the launch came only after it;
  /// - Staging, Pinning, Allocation: the late launch is itself a call that holds the CPU; or such calls cover more than
  ///   half of the gap together, and then it is the kind that covers most of it;
  /// - Dependency: the call was over when the GPU ran dry, and `behind_copy`: what had run last was a copy on another
  ///   stream than the operation's;
  /// - Cpu: more than half of the gap passed before the launch began; also where the launch is not known;
  /// - LaunchLatency: everything else.
  Bubble explain(Nanoseconds from, Nanoseconds to, const IssuingCall* launch, std::size_t thread,
                 bool behind_copy) const;

 private:
  struct HeldCall {
    Nanoseconds start = 0, end = 0;
    Nanoseconds wait_end = 0;  ///< what it waited for had ended
    trace::NameId name = 0;
    trace::LaneId lane = 0;
    Hold hold = Hold::None;
    std::size_t thread = 0;  ///< of a wait and of a synchronisation
    RangeAround range;       ///< of a synchronisation
  };
  struct Share {
    const HeldCall* longest = nullptr;
    Nanoseconds covered_ns = 0;
  };
  const HeldCall* drain(Nanoseconds from, Nanoseconds issued, const IssuingCall* launch) const;
  template <class Counts>
  static Share share(const std::vector<HeldCall>& held, Nanoseconds from, Nanoseconds to, Counts counts);
  /// The longest call of the kind that covers most, if all of them cover more than half.
  const HeldCall* holder(Nanoseconds from, Nanoseconds to, const IssuingCall* launch, std::size_t thread) const;
  const HeldCall* wait_for_data(const Bubble& gap, const IssuingCall* launch, std::size_t thread) const;
  static void remember(std::vector<HeldCall>& held, const HeldCall& call, Nanoseconds idle_since);

  std::vector<HeldCall> syncs_;
  std::vector<HeldCall> holds_;
  std::vector<HeldCall> waits_;
};

}  // namespace lanescope::analysis
