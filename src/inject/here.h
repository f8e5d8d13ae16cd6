// Records this process for itself: a loop of Lanescope's own on a GPU. There is no viewer to say Hello to and no thread
// of the library's: the caller steps, and reads the ring in between.
//
// One recording after another; between two nothing is on. One thread at a time.
#pragma once

#include <cstdint>

#include "inject/ring.h"

namespace lanescope::inject {

/// Finds CUPTI, subscribes, and records the GPU's work, with the API calls if wanted. False: nothing is on, and Status
/// says why; there is no Status if ring.memory is null, because memory ran out.
bool begin_here(bool calls);
/// Only whether that is possible now: subscribes, and unsubscribes.
bool can_begin_here();
/// Puts what is complete into the ring. From time to time.
void step_here();
/// Everything off: callbacks, then records. Waits a moment for what is under way, at the process's end also takes what
/// is not complete, and unsubscribes. CUPTI stays: to finalise it would break graphs.
void end_here(bool at_exit);

}  // namespace lanescope::inject
