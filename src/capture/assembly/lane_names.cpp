#include "capture/assembly/lane_names.h"

#include <fmt/format.h>

#include <utility>

#include "trace/names.h"

namespace lanescope::capture {

trace::LaneInfo LaneNames::lane(trace::LaneKind kind, std::string name) const {
  trace::LaneInfo info;
  info.kind = kind;
  info.process = process;
  info.rank = rank;
  info.pid = pid;
  info.name = std::move(name);
  return info;
}

trace::LaneInfo LaneNames::calls(std::uint32_t number, bool is_main) const {
  trace::LaneInfo info = lane(trace::LaneKind::Calls, "CUDA calls");
  if (!is_main) {
    info.tid = number;
    info.name += fmt::format(", thread {}", number);
  }
  if (thread) info.thread = thread(number);
  return info;
}

trace::LaneInfo LaneNames::stream(trace::LaneKind kind, std::uint32_t device, std::uint32_t stream,
                                  bool is_default) const {
  const auto number = static_cast<std::int32_t>(stream);
  trace::LaneInfo info = lane(kind, trace::stream_lane_name(kind, number, is_default));
  info.device = static_cast<std::int32_t>(device);
  info.stream = number;
  return info;
}

trace::LaneInfo LaneNames::markers() const { return lane(trace::LaneKind::Markers, "markers"); }

}  // namespace lanescope::capture
