// What a foreign file recorded: a profiler that is switched on again and again (PyTorch's `schedule(repeat=2)`) leaves
// holes between its recordings, in which a program was not idle but unseen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/time.h"
#include "io/event_store.h"
#include "io/reading.h"
#include "trace/sink.h"

namespace lanescope::io {

struct Recorded {
  base::Nanoseconds from_ns = 0, to_ns = 0;
};

/// Of each process of which the file holds several recordings: when they were, in order. Two recordings are told by
/// numbers of iterations that do not follow each other, or by the profiler's own statement of when it ran (`windows`,
/// in any order), with nothing between them: no call, no operator, no work of the GPU. Other ranges may go on, since
/// their ends are the program's. Throws Cancelled if `stop` says so.
std::map<std::int64_t, std::vector<Recorded>> recordings_in(const EventStore& events,
                                                            std::span<const trace::LaneInfo> lanes,
                                                            std::vector<Recorded> windows, StopCheck& stop);

}  // namespace lanescope::io
