// The names and lanes under which the simulated device records itself. All are cached: none is looked up per call.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/op.h"
#include "trace/sink.h"

namespace lanescope::device::sim {

enum class Api : std::uint8_t {
  LaunchKernel,
  MemcpyAsync,
  Memcpy,
  MemsetAsync,
  EventRecord,
  EventQuery,
  EventElapsedTime,
  EventSynchronize,
  StreamWaitEvent,
  StreamSynchronize,
  DeviceSynchronize,
  StreamCreate,
  EventCreate,
  Malloc,
  Free,
  HostAlloc,
  FreeHost,
};
inline constexpr std::size_t kApis = 17;
/// The CUDA name: "cudaLaunchKernel".
std::string_view api_name(Api api);

/// Profiler traces show the legacy default stream as stream 7. Streams of the program's own are counted from 20 here,
/// where those traces show PyTorch's first one.
inline constexpr std::int32_t kDefaultStreamNumber = 7;
inline constexpr std::int32_t kFirstStreamNumber = 20;

class Log {
 public:
  explicit Log(trace::EventSink& sink);

  trace::NameId name(Api api) const { return api_names_[static_cast<std::size_t>(api)]; }
  trace::NameId name(ops::OpKind kind);
  trace::NameId copy_name(trace::MemoryKind from, trace::MemoryKind to);
  trace::NameId memset_name();
  trace::LaneId calls_lane() const { return calls_lane_; }
  /// The lane of a stream's work of one kind; made when first asked for.
  trace::LaneId lane(std::uint32_t stream, trace::LaneKind kind);

 private:
  static constexpr std::size_t kMemoryKinds = 4;
  static constexpr std::size_t kLanesPerStream = 4;
  static constexpr std::int32_t kNoLane = -1;

  trace::EventSink& sink_;
  std::array<trace::NameId, kApis> api_names_{};
  std::vector<trace::NameId> kernel_names_;  // by OpKind; 0: not asked for yet
  std::array<trace::NameId, kMemoryKinds * kMemoryKinds> copy_names_{};
  trace::NameId memset_name_ = 0;
  trace::LaneId calls_lane_ = 0;
  std::vector<std::array<std::int32_t, kLanesPerStream>> lanes_;
};

}  // namespace lanescope::device::sim
