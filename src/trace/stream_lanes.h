// Names of a stream's lanes, the same for all devices.
#pragma once

#include <cstdint>
#include <string>

#include "trace/sink.h"

namespace lanescope::trace {

/// "kernels", "copy H2D", "copy D2H", "copy D2D" for the default stream; "kernels, stream 20" for another.
std::string stream_lane_name(LaneKind kind, std::int32_t stream, bool is_default);

}  // namespace lanescope::trace
