// The order of the lanes on the screen.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "timeline/lane_layout.h"
#include "trace/owners.h"
#include "trace/trace.h"

namespace lanescope::ui {

/// The thread or stream of a lane: host, process, device (0 for a thread), thread or stream.
using Owner = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;
inline Owner owner_of(const trace::LaneInfo& info) {
  return trace::is_gpu_lane(info.kind) ? Owner{info.host, info.pid, info.device, info.stream}
                                       : Owner{info.host, info.pid, 0, info.tid};
}

// The roles of the threads, as known from their lanes.
struct Threads {
  std::set<Owner> iterating, calling, helping;  ///< with iterations; with API calls; with trace::LaneRole::Helper

  /// True for a thread that only serves the one with the iterations: a loader's worker, or its pin thread with its
  /// calls.
  bool helps(const trace::LaneInfo& info) const {
    const Owner owner = owner_of(info);
    const bool ranges_or_calls = info.kind == trace::LaneKind::Phases || info.kind == trace::LaneKind::Calls;
    return ranges_or_calls && !iterating.empty() && !iterating.contains(owner) && helping.contains(owner);
  }
};

// CPU lanes by thread: first those with iterations, then those that call the API, helpers last; then GPU lanes by
// process, GPU and stream. The processes of a job by rank.
inline auto order_of(const trace::LaneInfo& info, const Threads& threads) {
  const bool cpu = trace::is_cpu_lane(info.kind);
  const Owner owner = owner_of(info);
  const bool helps = cpu && threads.helps(info);
  // "worker 2" before "worker 10", and the pin thread after all workers.
  return std::tuple(!cpu, helps, cpu && !threads.iterating.contains(owner),
                    cpu && !helps && !threads.calling.contains(owner), helps ? info.name.size() : 0,
                    helps ? info.name : std::string(), info.rank.value_or(std::numeric_limits<int>::max()), owner,
                    static_cast<int>(info.kind), info.role != trace::LaneRole::Statements, info.name);
}

/// One row of the timeline and its position.
struct OrderedLane {
  std::optional<trace::LaneId> lane;  ///< empty: the run-ahead curve
  std::string key;                    ///< key in a LaneLayout
  std::string name;
  std::string group;     ///< key in a LaneLayout; empty: lanes are not grouped
  std::string heading;   ///< of the group: "CPU · python3 · thread 22"
  std::string owner;     ///< the owner, if the name alone is ambiguous: "thread 22", "GPU 0 · stream 7"
  bool compact = false;  ///< one of many threads
  bool gpu = false;      ///< below the run-ahead curve
};

/// All rows of the trace, including hidden ones, in the layout's groups and order.
std::vector<OrderedLane> ordered_lanes(const trace::Trace& trace, const LaneLayout& layout);

}  // namespace lanescope::ui
