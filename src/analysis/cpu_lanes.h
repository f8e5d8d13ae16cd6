// What is known of a lane, looked up once per lane: whose thread or stream it is, and whether it holds something else
// than the program's own ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace lanescope::analysis {

/// The lane on which a CPU device leaves a range for each op that it computes.
inline constexpr std::string_view kCpuOpsLane = "CPU ops";
/// The lane on which a program's own stopwatch leaves what it measured. Such a range says nothing of where a call is
/// made: the statement that is timed has a range of its own.
inline constexpr std::string_view kStopwatchLane = "stopwatch";

class LaneFacts {
 public:
  explicit LaneFacts(const trace::Trace& trace) : trace_(trace) {}

  /// The number of the thread that the lane belongs to, counted from 0 as they are met.
  std::size_t thread_of(trace::LaneId lane) { return facts(lane).thread; }
  bool holds_ops(trace::LaneId lane) { return facts(lane).ops; }
  bool holds_stopwatch(trace::LaneId lane) { return facts(lane).stopwatch; }
  /// Of a GPU lane; no two devices' streams have the same.
  std::int64_t stream_of(trace::LaneId lane) { return facts(lane).stream; }

 private:
  struct Facts {
    std::size_t thread = 0;
    bool ops = false, stopwatch = false;
    std::int64_t stream = 0;
  };

  const Facts& facts(trace::LaneId lane) {
    while (lanes_.size() <= lane) {
      const trace::LaneInfo& info = trace_.lane(static_cast<trace::LaneId>(lanes_.size())).info();
      const auto thread = threads_.try_emplace({info.pid, info.tid}, threads_.size()).first;
      const bool phases = info.kind == trace::LaneKind::Phases;
      lanes_.push_back({thread->second, phases && info.name == kCpuOpsLane, phases && info.name == kStopwatchLane,
                        std::int64_t{info.device} << 32 | static_cast<std::uint32_t>(info.stream)});
    }
    return lanes_[lane];
  }

  const trace::Trace& trace_;
  std::vector<Facts> lanes_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> threads_;
};

}  // namespace lanescope::analysis
