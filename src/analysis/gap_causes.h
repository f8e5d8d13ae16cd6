// Why the GPU ran dry: tracks the calls that may have blocked the CPU at the time, and divides the gap among them.
#pragma once

#include <optional>
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

  /// Divides the gap, of which start and end are set and which ends with an operation issued by `launch`, a call of
  /// `thread` (null: unknown), among what its thread did meanwhile (unknown: what any thread did), by time:
  /// - GraphGap, all of it: that call also issued the operation before the gap (`same_launch`);
  /// - until the launch began: Loader while the thread waited for another one; Pinning, Allocation and Staging while it
  ///   or `thread_before` was in such a call;
  /// - the rest of that time, and what follows the start of the launch, is
  ///   - AfterSync: a synchronisation was in progress when the GPU ran dry, and the launch came only after it. But what
  ///     follows its return is the Cpu's if it is longer than that call, than half of the gap, and than
  ///     kWorkAfterSyncNs: without the work more would be gained than without the wait;
  ///   - Staging, Pinning, Allocation from the start of a launch that is itself such a call, and Cpu before it;
  ///   - Migration: there is none, because the operation moves pages of unified memory (`migrates`);
  ///   - Unknown: the launch is;
  ///   - Cpu: more than half of it passed before the launch began;
  ///   - Dependency: the call had returned when the GPU ran dry, and `behind_copy`: the last work was a copy on a
  ///     different stream than the operation's;
  ///   - GpuWait from the call's return on, Cpu until its start and LaunchLatency between: it had returned more than
  ///     kLongestLaunch before the operation started;
  ///   - LaunchLatency: everything else.
  /// A cause of less than a tenth of the gap goes to the part beside it. The parts add up to the gap; if they alternate
  /// more than a few times, only their lengths are exact. `take(Bubble)` gets them in order.
  struct Around {
    bool behind_copy = false, same_launch = false, migrates = false;
    bool first = false;  ///< nothing has run before, so no synchronisation drained the GPU
    /// The thread that launched what ran last. `thread` perhaps waits for it without a call, as the main thread does
    /// for autograd's: what holds the one holds the other.
    std::optional<std::size_t> thread_before;
    /// The operation copies to the GPU. A thread of the program's own perhaps feeds another, which waits for the data.
    bool upload = false;
  };
  template <class Take>
  void divide(const Bubble& gap, const IssuingCall* launch, std::size_t thread, Around around, Take&& take) {
    explain(gap, launch, thread, around);
    for (const Bubble& part : parts_) take(part);
  }

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
  /// Of a gap: what its thread was busy with, in [start, end).
  struct Stretch {
    Nanoseconds start = 0, end = 0;
    BubbleCause cause = BubbleCause::Unknown;
  };
  static constexpr std::size_t kMostParts = 6;

  void explain(const Bubble& gap, const IssuingCall* launch, std::size_t thread, Around around);
  const HeldCall* drain(Nanoseconds from, Nanoseconds issued, const IssuingCall* launch) const;
  /// The longest of these calls within [from, to).
  const HeldCall* longest(BubbleCause cause, Nanoseconds from, Nanoseconds to, const IssuingCall* launch,
                          std::size_t thread, const Around& around) const;
  void find_held(Nanoseconds from, Nanoseconds to, const IssuingCall* launch, std::size_t thread, const Around& around);
  static bool delays(const HeldCall& call, const IssuingCall* launch, std::size_t thread, const Around& around) {
    if (!launch || call.thread == thread) return true;
    return call.hold == Hold::None ? around.upload : call.thread == around.thread_before;
  }
  void join_small(Nanoseconds whole);
  void join_alternating();
  static void remember(std::vector<HeldCall>& held, const HeldCall& call, Nanoseconds idle_since);

  std::vector<HeldCall> syncs_;
  std::vector<HeldCall> holds_;
  std::vector<HeldCall> waits_;
  // Of the gap that is being explained.
  std::vector<Stretch> held_, stretches_;
  std::vector<Bubble> parts_;
};

}  // namespace lanescope::analysis
