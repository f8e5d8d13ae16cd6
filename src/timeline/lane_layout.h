// The user's arrangement of the lanes: hidden, folded, pinned, moved, resized, grouped; and the order that follows from
// it. Lanes are identified by their properties (trace::LaneInfo), so that a layout fits every trace that has them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/owners.h"
#include "trace/trace.h"

namespace lanescope::ui {

enum class LaneGrouping : std::uint8_t { Owner /*thread, stream*/, Process, Device, None };

struct LaneChoice {
  bool hidden = false, folded = false, pinned = false;
  float height = 1;  ///< relative to the default height, 0.5 to 4

  bool operator==(const LaneChoice&) const = default;
};

/// The key of a lane in a layout: kind, name, process, device and stream, and the thread's index among the threads.
/// Never a process or thread id, which differ in every run. `place` distinguishes lanes that differ only in such ids,
/// numbered from 0 in order of appearance.
std::string lane_key(const trace::LaneInfo& info, std::size_t place = 0);
/// The keys of all lanes of a trace.
std::vector<std::string> lane_keys(const trace::Trace& trace);
/// The run-ahead curve is treated like a lane.
inline constexpr const char* kRunAheadKey = "run-ahead";

class LaneLayout {
 public:
  static constexpr float kLeastHeight = 0.5f, kMostHeight = 4;

  LaneGrouping grouping() const { return grouping_; }
  /// Resets the order, which applied within the previous groups.
  void set_grouping(LaneGrouping grouping);
  bool group_folded(const std::string& group) const { return folded_groups_.contains(group); }
  /// Unfolded by hand, it is also kept open: it does not fold by itself when it has no events in view.
  void fold_group(const std::string& group, bool folded);
  bool kept_open(const std::string& group) const { return kept_open_.contains(group); }
  LaneChoice choice(const std::string& key) const;
  /// The names of lanes that are folded as long as the user has not chosen anything for them.
  void fold_at_first(std::vector<std::string> names);
  void set(const std::string& key, const LaneChoice& choice);
  /// The user's order, as keys; lanes not in it keep their default position.
  const std::vector<std::string>& order() const { return order_; }
  void set_order(std::vector<std::string> order);
  /// The same for the lanes shown now: lanes that this run lacks keep their place after their predecessor.
  void reorder(const std::vector<std::string>& shown);
  std::size_t hidden_count() const;
  void show_all();
  void reset();
  /// Left out without being hidden by the user: the curve, and the only lane of iterations, which stand in the ruler.
  struct LeftOut {
    bool curve = false, iterations = false;
    bool operator==(const LeftOut&) const = default;
  };
  const LeftOut& left_out() const { return left_out_; }
  void leave_out(const LeftOut& rows);
  /// Incremented by every change above.
  std::uint64_t version() const { return version_; }

 private:
  LaneGrouping grouping_ = LaneGrouping::Owner;
  std::map<std::string, LaneChoice> choices_;
  std::vector<std::string> folded_at_first_;
  std::set<std::string> folded_groups_, kept_open_;
  std::vector<std::string> order_;
  LeftOut left_out_;
  std::uint64_t version_ = 1;
};

// --- lane order ------------------------------------------------------------------------------------------------------
// The order of the lanes on the screen.

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
