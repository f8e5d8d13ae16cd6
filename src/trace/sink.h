// The one door into a trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "trace/event.h"

namespace lanescope::trace {

enum class LaneKind : std::uint8_t {
  Iterations,  ///< CPU: one range per iteration
  Phases,      ///< CPU: ranges inside an iteration, or any other named ranges of the program (may nest)
  Calls,       ///< CPU: CUDA API calls of one thread
  Kernels,     ///< GPU: kernels and memsets of one stream
  CopyH2D,     ///< GPU: copies of one stream, host to device
  CopyD2H,     ///< GPU: copies of one stream, device to host
  CopyOther,   ///< GPU: device to device, peer and other copies of one stream
  GpuRanges,   ///< GPU: ranges projected onto a stream; never counted as work
  Markers,     ///< instants: settings that were changed
  Counter,     ///< a sampled value
};
constexpr bool is_gpu_work_lane(LaneKind k) {
  return k == LaneKind::Kernels || k == LaneKind::CopyH2D || k == LaneKind::CopyD2H || k == LaneKind::CopyOther;
}
constexpr bool is_cpu_lane(LaneKind k) {
  return k == LaneKind::Iterations || k == LaneKind::Phases || k == LaneKind::Calls;
}

/// Who a lane belongs to. Two lanes with equal LaneInfo are the same lane.
struct LaneInfo {
  LaneKind kind = LaneKind::Phases;
  std::string name;     ///< what is written left of the lane: "CUDA calls", "kernels", "loss"
  std::string process;  ///< the program: "lanescope", "python3.10"
  std::int64_t pid = 0;
  std::int64_t tid = 0;     ///< CPU lanes: the thread
  std::int32_t device = 0;  ///< GPU lanes: the device's number
  std::int32_t stream = 0;  ///< GPU lanes: the stream's number
  /// Events of a lane may be written out of start order by up to this many events (a range is written when it ends,
  /// after the ranges inside it). 0: the writer keeps start order itself.
  std::uint32_t reorder_window = 0;

  bool operator==(const LaneInfo&) const = default;
};

/// The writing end for one thread. All functions are lock-free and do not allocate.
class EventWriter {
 public:
  virtual ~EventWriter() = default;
  virtual void write(const Event& event) noexcept = 0;
  /// Says that of this writer no range that ends before `t`, and no other event that starts before `t`, is still to
  /// come. (A range is written when it ends, so one that is open may have begun long before.)
  virtual void complete_until(Nanoseconds t) noexcept = 0;
};

/// Names and lanes are made rarely and may lock; events go through a writer, one per thread.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual LaneId lane(const LaneInfo& info) = 0;
  virtual NameId name(std::string_view text) = 0;
  virtual std::unique_ptr<EventWriter> open_writer() = 0;
};

}  // namespace lanescope::trace
