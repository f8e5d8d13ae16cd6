#include "analysis/cpu_lanes.h"

namespace lanescope::analysis {

void LaneFacts::look() {
  known_ = trace_.lane_count();
  owners_.refresh();
  lanes_.clear();
  for (std::size_t l = 0; l < known_; ++l) {
    const auto lane = static_cast<trace::LaneId>(l);
    const trace::LaneInfo& info = trace_.lane(lane).info();
    const auto next = static_cast<std::uint32_t>(threads_.size());
    const auto thread = threads_.try_emplace({trace::Process{info.host, info.pid}, info.tid}, next).first;
    const trace::GpuNumber gpu = owners_.gpu_of(lane);
    lanes_.push_back({std::int64_t{gpu} << 32 | static_cast<std::uint32_t>(info.stream), thread->second,
                      owners_.process_of(lane), gpu});
  }
}

}  // namespace lanescope::analysis
