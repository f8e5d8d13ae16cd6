// The names and owners of a capture's lanes. The sink returns the same lane for the same description, so all code
// describes lanes through these functions.
#pragma once

#include <cstdint>

#include "trace/sink.h"

namespace lanescope::capture::cupti {

/// The API calls of a thread. Those of the main thread are next to the program's own ranges (tid 0).
trace::LaneInfo calls_lane(std::uint32_t thread, bool is_main);
/// A stream's kernels, or its copies in one direction.
trace::LaneInfo stream_lane(trace::LaneKind kind, std::uint32_t device, std::uint32_t stream, bool is_default);
/// Messages about the capture itself.
trace::LaneInfo markers_lane();

}  // namespace lanescope::capture::cupti
