#include "device/sim/log.h"

#include <fmt/format.h>

#include <string_view>

#include "trace/names.h"

namespace lanescope::device::sim {
namespace {

constexpr std::string_view kProcess = "lanescope";

std::string_view memory_name(trace::MemoryKind kind) {
  switch (kind) {
    case trace::MemoryKind::Pageable:
      return "Pageable";
    case trace::MemoryKind::Pinned:
      return "Pinned";
    case trace::MemoryKind::Device:
      return "Device";
    case trace::MemoryKind::Unknown:
      break;
  }
  return "Unknown";
}

char side(trace::MemoryKind kind) { return kind == trace::MemoryKind::Device ? 'D' : 'H'; }

}  // namespace

Log::Log(trace::EventSink& sink) : sink_(sink) {
  for (std::size_t i = 0; i < kCudaCalls; ++i) call_names_[i] = sink.name(call_name(static_cast<CudaCall>(i)));
  trace::LaneInfo info;
  info.kind = trace::LaneKind::Calls;
  info.name = "CUDA calls";
  info.process = kProcess;
  calls_lane_ = sink.lane(info);
}

trace::NameId Log::new_name(ops::OpKind kind) {
  const auto i = static_cast<std::size_t>(kind);
  if (i >= kernel_names_.size()) kernel_names_.resize(i + 1);
  return kernel_names_[i] = sink_.name(ops::kernel_name(kind));
}

trace::NameId Log::copy_name(trace::MemoryKind from, trace::MemoryKind to) {
  trace::NameId& id = copy_names_[static_cast<std::size_t>(from) * kMemoryKinds + static_cast<std::size_t>(to)];
  if (id == 0) {
    id = sink_.name(fmt::format("Memcpy {}to{} ({} -> {})", side(from), side(to), memory_name(from), memory_name(to)));
  }
  return id;
}

trace::NameId Log::memset_name() {
  if (memset_name_ == 0) memset_name_ = sink_.name("Memset (Device)");
  return memset_name_;
}

trace::LaneId Log::new_lane(std::uint32_t stream, trace::LaneKind kind) {
  while (lanes_.size() <= stream) lanes_.push_back({kNoLane, kNoLane, kNoLane, kNoLane});
  trace::LaneInfo info;
  info.kind = kind;
  info.process = kProcess;
  info.stream = stream == 0 ? kDefaultStreamNumber : kFirstStreamNumber + static_cast<std::int32_t>(stream) - 1;
  info.name = trace::stream_lane_name(kind, info.stream, stream == 0);
  const trace::LaneId lane = sink_.lane(info);
  lanes_[stream][place_of(kind)] = lane;
  return lane;
}

}  // namespace lanescope::device::sim
