// What is known about records that may still arrive.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/time.h"

namespace lanescope::capture {

struct Progress {
  base::Nanoseconds asked_ns = 0;                   ///< trace time at which the last completed flush began
  std::vector<std::uint32_t> threads_with_buffers;  ///< threads that requested buffers which CUPTI still holds
  base::Nanoseconds oldest_open_call_ns = std::numeric_limits<base::Nanoseconds>::max();
  /// A call is known as soon as it has ended, so a thread that rests need not be waited for.
  bool calls_are_prompt = false;
};

}  // namespace lanescope::capture
