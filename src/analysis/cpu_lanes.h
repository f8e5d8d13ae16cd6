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

  /// The index of the lane's thread, counted from 0 in the order of first use.
  std::size_t thread_of(trace::LaneId lane) { return facts(lane).thread; }
  /// For a GPU lane: unique over the streams of all GPUs.
  std::int64_t stream_of(trace::LaneId lane) {
    return std::int64_t{owners().gpu_of(lane)} << 32 | static_cast<std::uint32_t>(trace_.lane(lane).info().stream);
  }
  trace::CallKey key_of(trace::LaneId lane, std::uint32_t correlation) {
    return {owners().process_of(lane), correlation};
  }
  /// For the lanes known now.
  const trace::Owners& owners() {
    owners_.refresh();
    return owners_;
  }

 private:
  struct Facts {
    std::size_t thread = 0;
  };

  const Facts& facts(trace::LaneId lane) {
    while (lanes_.size() <= lane) {
      const trace::LaneInfo& info = trace_.lane(static_cast<trace::LaneId>(lanes_.size())).info();
      const auto thread = threads_.try_emplace({trace::Process{info.host, info.pid}, info.tid}, threads_.size()).first;
      lanes_.push_back({thread->second});
    }
    return lanes_[lane];
  }

  const trace::Trace& trace_;
  std::vector<Facts> lanes_;
  trace::Owners owners_;
  std::map<std::pair<trace::Process, std::int64_t>, std::size_t> threads_;
};

}  // namespace lanescope::analysis
