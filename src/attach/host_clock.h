// The clock of this machine, as recordings of several machines need it to be put on one.
#pragma once

#include "trace/clock_facts.h"

namespace lanescope::attach {

/// Whose clock it is; without readings. `origin_ns`: CLOCK_MONOTONIC where the trace's time is 0.
trace::ClockFacts host_clock(base::Nanoseconds origin_ns);
/// Both times now, as close together as they can be read, and what the kernel says of them.
trace::ClockReading read_host_clock();

}  // namespace lanescope::attach
