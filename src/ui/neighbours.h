// From one event to the next: on its lane in the order of time, of the same name, and to the lanes above and below.
#pragma once

#include <optional>
#include <span>

#include "ui/event_ref.h"

namespace lanescope::ui {

enum class Along : std::int8_t { Back = -1, Forth = 1 };

struct Neighbour {
  std::optional<EventRef> found;
  /// The search ended after its limit: there may be one further on. Else there is none.
  bool gave_up = false;
};

/// A press of a key looks at no more events than this.
inline constexpr std::size_t kNeighbourLimit = 100'000;

/// The next or previous event on the lane of `from`, over its sub-rows, by start; those that start together go by
/// sub-row. Forth, it starts before `until` (the live edge).
Neighbour neighbour(const trace::Trace& trace, const EventRef& from, Along along, base::Nanoseconds until);
/// The same among those with the name of `from`, among at most `limit` events.
Neighbour neighbour_of_same_name(const trace::Trace& trace, const EventRef& from, Along along, base::Nanoseconds until,
                                 std::size_t limit = kNeighbourLimit);

/// The event of a lane that lasts at `t`, else the nearest in time; of several, the shortest.
std::optional<EventRef> nearest_event(const trace::Trace& trace, trace::LaneId lane, base::Nanoseconds t,
                                      base::Nanoseconds until);

/// The event above (Back) or below (Forth) `from`: on the next of `lanes`, which go from the top of the screen, that
/// has any, the one that lasts in the middle of `from`, or is nearest to it.
std::optional<EventRef> event_on_next_lane(const trace::Trace& trace, const EventRef& from,
                                           std::span<const trace::LaneId> lanes, Along along, base::Nanoseconds until);

/// The iteration that lasts at `t`, else the nearest; empty in a trace without.
std::optional<EventRef> iteration_at(const trace::Trace& trace, base::Nanoseconds t, base::Nanoseconds until);

/// The numbers of the first and last iteration that are kept; empty in a trace without.
std::optional<std::pair<std::uint32_t, std::uint32_t>> iteration_numbers(const trace::Trace& trace,
                                                                         base::Nanoseconds until);
/// By its number, as its label has it. Costs a search, since numbers rise.
std::optional<EventRef> iteration_numbered(const trace::Trace& trace, std::uint32_t number, base::Nanoseconds until);

}  // namespace lanescope::ui
