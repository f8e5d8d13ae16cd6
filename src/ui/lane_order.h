// The order of the lanes on the screen.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/trace.h"
#include "ui/lane_layout.h"

namespace lanescope::ui {

/// Whose lane it is: a thread (process, thread) or a stream (device, stream).
using Owner = std::pair<std::int64_t, std::int64_t>;

// What the lanes say of the threads.
struct Threads {
  std::set<Owner> iterating, ranging;  ///< with iterations, with ranges of their own

  /// A thread of the program that only works for the one with the iterations: a loader's worker, or its pin thread with
  /// the calls that it makes.
  bool helps(const trace::LaneInfo& info) const {
    const Owner owner{info.pid, info.tid};
    const bool ranges_or_calls = info.kind == trace::LaneKind::Phases || info.kind == trace::LaneKind::Calls;
    return ranges_or_calls && info.process == "lanescope" && !iterating.empty() && !iterating.contains(owner) &&
           ranging.contains(owner);
  }
};

// CPU lanes, thread by thread, those with the iterations first, those of helping threads last; then GPU lanes, stream
// by stream.
inline auto order_of(const trace::LaneInfo& info, const Threads& threads) {
  const bool cpu = trace::is_cpu_lane(info.kind);
  const Owner owner = cpu ? Owner{info.pid, info.tid} : Owner{info.device, info.stream};
  const bool helps = cpu && threads.helps(info);
  // "worker 2" before "worker 10", and the pin thread, which comes after all of them, last.
  return std::tuple(!cpu, helps, cpu && !threads.iterating.contains(owner), helps ? info.name.size() : 0,
                    helps ? info.name : std::string(), owner, static_cast<int>(info.kind), info.name != "phase",
                    info.name);
}

/// One row of the timeline, where it belongs.
struct LaneSeat {
  std::optional<trace::LaneId> lane;  ///< none: the run-ahead curve
  std::string key;                    ///< in a LaneLayout
  std::string name;
  std::string group;     ///< in a LaneLayout; empty: lanes are not grouped
  std::string heading;   ///< the group's: "CPU · python3 · thread 22"
  std::string owner;     ///< whose it is, where a name alone leaves it open: "thread 22", "GPU 0 · stream 7"
  bool compact = false;  ///< one of many threads
};

/// All rows that the trace has, hidden ones too, in the layout's groups and order.
std::vector<LaneSeat> seat_lanes(const trace::Trace& trace, const LaneLayout& layout);

}  // namespace lanescope::ui
