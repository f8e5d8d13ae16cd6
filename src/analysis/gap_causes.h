// Why the GPU ran dry: the calls that could have held the CPU at the time, and the rule that tells which one did.
#pragma once

#include <vector>

#include "analysis/run_ahead.h"
#include "analysis/summary.h"

namespace lanescope::analysis {

/// Told of calls in the order in which they start; forgets what cannot matter any more.
class GapCauses {
 public:
  /// A synchronisation. `idle_since`: the GPU has no work after this instant, as far as it is known.
  void sync(const trace::Event& call, trace::LaneId lane, Nanoseconds idle_since);
  /// A call that holds the CPU for its own copying or pinning.
  void hold(const trace::Event& call, trace::LaneId lane, Nanoseconds idle_since);

  /// The gap [from, to) is closed by an operation that `launch` issued (null: not known).
  /// - AfterSync: a synchronisation was under way when the GPU ran dry, and the launch came only after it;
  /// - Copy: staging or pinning covers more than half of the gap, or the late launch is itself such a call;
  /// - LaunchTooSlow: everything else, also what had been issued in time and started late.
  Bubble explain(Nanoseconds from, Nanoseconds to, const IssuingCall* launch) const;

 private:
  struct HeldCall {
    Nanoseconds start = 0, end = 0;
    Nanoseconds wait_end = 0;  ///< what it waited for had ended
    trace::NameId name = 0;
    trace::LaneId lane = 0;
  };
  const HeldCall* drain(Nanoseconds from, Nanoseconds issued, const IssuingCall* launch) const;
  const HeldCall* holder(Nanoseconds from, Nanoseconds to) const;

  std::vector<HeldCall> syncs_;
  std::vector<HeldCall> holds_;
};

}  // namespace lanescope::analysis
