// The thread or stream of each lane, looked up once per lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "trace/links.h"
#include "trace/trace.h"

namespace lanescope::analysis {

class LaneFacts {
 public:
  explicit LaneFacts(const trace::Trace& trace) : trace_(trace), owners_(trace) {}

  /// The index of the lane's thread, counted from 0 in the order of the lanes.
  std::size_t thread_of(trace::LaneId lane) { return facts(lane).thread; }
  /// For a GPU lane: unique over the streams of all GPUs.
  std::int64_t stream_of(trace::LaneId lane) { return facts(lane).stream; }
  trace::CallKey key_of(trace::LaneId lane, std::uint32_t correlation) { return {facts(lane).process, correlation}; }
  /// The GPU of a lane with GPU work; kNobody for other lanes.
  trace::GpuNumber gpu_of(trace::LaneId lane) { return facts(lane).gpu; }

 private:
  struct Facts {
    std::int64_t stream = 0;
    std::uint32_t thread = 0;
    trace::ProcessNumber process = 0;
    trace::GpuNumber gpu = 0;
  };

  [[gnu::always_inline]] const Facts& facts(trace::LaneId lane) {
    if (trace_.lane_count() != known_) look();
    return lanes_[lane];
  }
  /// At all lanes again, since a new one may show who owns another. Rare, and kept out of what is inlined.
  void look();

  const trace::Trace& trace_;
  std::size_t known_ = 0;  // lanes
  std::vector<Facts> lanes_;
  trace::Owners owners_;
  std::map<std::pair<trace::Process, std::int64_t>, std::uint32_t> threads_;
};

}  // namespace lanescope::analysis
