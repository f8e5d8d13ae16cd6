#include "trace/stream_lanes.h"

#include <fmt/format.h>

#include <string_view>

namespace lanescope::trace {
namespace {

std::string_view name_of(LaneKind kind) {
  switch (kind) {
    case LaneKind::CopyH2D:
      return "copy H2D";
    case LaneKind::CopyD2H:
      return "copy D2H";
    case LaneKind::CopyOther:
      return "copy D2D";
    default:
      return "kernels";
  }
}

}  // namespace

std::string stream_lane_name(LaneKind kind, std::int32_t stream, bool is_default) {
  return is_default ? std::string(name_of(kind)) : fmt::format("{}, stream {}", name_of(kind), stream);
}

}  // namespace lanescope::trace
