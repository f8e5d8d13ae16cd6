// What is known of a CPU lane, looked up once per lane: whose thread it is, and whether it holds the ops of a CPU
// device.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace lanescope::analysis {

/// The lane on which a CPU device leaves a range for each op that it computes.
inline constexpr std::string_view kCpuOpsLane = "CPU ops";

class CpuLanes {
 public:
  explicit CpuLanes(const trace::Trace& trace) : trace_(trace) {}

  /// The number of the thread that the lane belongs to, counted from 0 as they are met.
  std::size_t thread_of(trace::LaneId lane) { return facts(lane).thread; }
  bool holds_ops(trace::LaneId lane) { return facts(lane).ops; }

 private:
  struct Facts {
    std::size_t thread = 0;
    bool ops = false;
  };

  const Facts& facts(trace::LaneId lane) {
    while (lanes_.size() <= lane) {
      const trace::LaneInfo& info = trace_.lane(static_cast<trace::LaneId>(lanes_.size())).info();
      const auto thread = threads_.try_emplace({info.pid, info.tid}, threads_.size()).first;
      lanes_.push_back({thread->second, info.kind == trace::LaneKind::Phases && info.name == kCpuOpsLane});
    }
    return lanes_[lane];
  }

  const trace::Trace& trace_;
  std::vector<Facts> lanes_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> threads_;
};

}  // namespace lanescope::analysis
