// The names and lanes under which the simulated device records itself. All are cached, so no call looks one up.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "device/device.h"
#include "device/op.h"
#include "trace/sink.h"

namespace lanescope::device::sim {

/// Profiler traces show the legacy default stream as stream 7, and PyTorch's first own stream as 20. The same numbers
/// are used here.
inline constexpr std::int32_t kDefaultStreamNumber = 7;
inline constexpr std::int32_t kFirstStreamNumber = 20;

class Log {
 public:
  explicit Log(trace::EventSink& sink);

  trace::NameId name(CudaCall api) const { return call_names_[static_cast<std::size_t>(api)]; }
  trace::NameId name(ops::OpKind kind) {
    const auto i = static_cast<std::size_t>(kind);
    return i < kernel_names_.size() && kernel_names_[i] != 0 ? kernel_names_[i] : new_name(kind);
  }
  trace::NameId copy_name(trace::MemoryKind from, trace::MemoryKind to);
  trace::NameId memset_name();
  trace::LaneId calls_lane() const { return calls_lane_; }
  /// The lane for one kind of work of a stream, created on first use.
  trace::LaneId lane(std::uint32_t stream, trace::LaneKind kind) {
    const std::size_t which = place_of(kind);
    const std::int32_t known = stream < lanes_.size() ? lanes_[stream][which] : kNoLane;
    return known != kNoLane ? static_cast<trace::LaneId>(known) : new_lane(stream, kind);
  }

 private:
  static constexpr std::size_t kMemoryKinds = 4;
  static constexpr std::size_t kLanesPerStream = 4;
  static constexpr std::int32_t kNoLane = -1;

  static constexpr std::size_t place_of(trace::LaneKind kind) {
    return kind == trace::LaneKind::CopyH2D     ? 1
           : kind == trace::LaneKind::CopyD2H   ? 2
           : kind == trace::LaneKind::CopyOther ? 3
                                                : 0;
  }
  trace::NameId new_name(ops::OpKind kind);
  trace::LaneId new_lane(std::uint32_t stream, trace::LaneKind kind);

  trace::EventSink& sink_;
  std::array<trace::NameId, kCudaCalls> call_names_{};
  std::vector<trace::NameId> kernel_names_;  // by OpKind; 0: not interned yet
  std::array<trace::NameId, kMemoryKinds * kMemoryKinds> copy_names_{};
  trace::NameId memset_name_ = 0;
  trace::LaneId calls_lane_ = 0;
  std::vector<std::array<std::int32_t, kLanesPerStream>> lanes_;
};

}  // namespace lanescope::device::sim
