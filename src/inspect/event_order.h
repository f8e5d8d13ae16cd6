// The order in which the events of several lanes are listed.
#pragma once

#include <compare>
#include <limits>
#include <vector>

#include "analysis/event_merge.h"
#include "inspect/event_ref.h"

namespace lanescope::ui {

using base::Nanoseconds;

/// By start. Of events that start together, an iteration precedes its contents, and a call its kernel.
struct EventKey {
  Nanoseconds start = std::numeric_limits<Nanoseconds>::min();
  trace::LaneKind kind = trace::LaneKind::Iterations;
  trace::LaneId lane = 0;
  std::uint16_t row = 0;
  trace::EventIndex index = 0;

  auto operator<=>(const EventKey&) const = default;
};

inline EventKey key_of(const trace::Trace& trace, const EventRef& ref) {
  return {ref.event.start_ns, trace.lane(ref.lane).info().kind, ref.lane, static_cast<std::uint16_t>(ref.row),
          ref.index};
}

/// True for lanes with intervals, which can be listed and found; the others have markers and samples.
using analysis::has_intervals;

}  // namespace lanescope::ui
