// Copies a trace, or a stretch of it, into another one, with its names, stacks, arguments and everything else that
// events refer to by number.
#pragma once

#include <functional>
#include <limits>

#include "trace/trace.h"

namespace lanescope::trace {

struct CopyOptions {
  /// Events that overlap [from, to), whole.
  Nanoseconds from = std::numeric_limits<Nanoseconds>::min(), to = std::numeric_limits<Nanoseconds>::max();
  Nanoseconds shift = 0;                         ///< is added to all times
  std::uint32_t correlation_shift = 0;           ///< is added to all correlation numbers but 0
  std::function<void(LaneInfo&)> change_lane{};  ///< for each lane; may be empty
};
/// The source may grow meanwhile; it is never locked for long. `into` gets lanes of its own for all lanes of the
/// source, and is published. Throws base::Error if there are too many lanes.
void copy_trace(const Trace& source, Trace& into, const CopyOptions& options = {});

}  // namespace lanescope::trace
