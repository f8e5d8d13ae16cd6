// How much of a GPU's work is recorded.
#pragma once

#include <cstdint>

namespace lanescope::trace {

/// Each level includes the ones before it.
enum class CaptureLevel : std::uint8_t {
  None,        ///< CUPTI is not used
  Subscribed,  ///< CUPTI is loaded and subscribed, but records nothing
  Kernels,     ///< kernels
  Operations,  ///< + copies and memsets
  Calls,       ///< + API calls, synchronisations, events, overheads
  All,         ///< + blocking calls while they are still open
};

}  // namespace lanescope::trace
