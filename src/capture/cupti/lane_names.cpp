#include "capture/cupti/lane_names.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "trace/stream_lanes.h"

namespace lanescope::capture::cupti {
namespace {

trace::LaneInfo lane(trace::LaneKind kind, std::string name) {
  trace::LaneInfo info;
  info.kind = kind;
  info.process = "lanescope";
  info.name = std::move(name);
  return info;
}

}  // namespace

trace::LaneInfo calls_lane(std::uint32_t thread, bool is_main) {
  trace::LaneInfo info = lane(trace::LaneKind::Calls, "CUDA calls");
  if (!is_main) {
    info.tid = thread;
    info.name += fmt::format(", thread {}", thread);
  }
  return info;
}

trace::LaneInfo stream_lane(trace::LaneKind kind, std::uint32_t device, std::uint32_t stream, bool is_default) {
  const auto number = static_cast<std::int32_t>(stream);
  trace::LaneInfo info = lane(kind, trace::stream_lane_name(kind, number, is_default));
  info.device = static_cast<std::int32_t>(device);
  info.stream = number;
  return info;
}

trace::LaneInfo markers_lane() { return lane(trace::LaneKind::Markers, "markers"); }

}  // namespace lanescope::capture::cupti
