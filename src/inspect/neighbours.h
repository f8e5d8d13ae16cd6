// Moves from one event to the next: in time along its lane, by name, and to the lanes above and below.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "inspect/event_ref.h"
#include "trace/links.h"

namespace lanescope::ui {

enum class Along : std::int8_t { Back = -1, Forth = 1 };

struct Neighbour {
  std::optional<EventRef> found;
  /// The search hit its limit: there may be one further away. Otherwise there is none.
  bool gave_up = false;
};

/// The maximum number of events read for one key press.
inline constexpr std::size_t kNeighbourLimit = 100'000;

/// The next or previous event on the lane of `from`, across its sub-rows, by start; those that start together are
/// ordered by sub-row. Forth: only events that start before `until` (the live edge).
Neighbour neighbour(const trace::Trace& trace, const EventRef& from, Along along, base::Nanoseconds until);
/// The same for events with the name of `from`, reading at most `limit` events.
Neighbour neighbour_of_same_name(const trace::Trace& trace, const EventRef& from, Along along, base::Nanoseconds until,
                                 std::size_t limit = kNeighbourLimit);

/// The event of a lane that contains `t`, or else the nearest in time; of several, the shortest.
std::optional<EventRef> nearest_event(const trace::Trace& trace, trace::LaneId lane, base::Nanoseconds t,
                                      base::Nanoseconds until);

/// The event above (Back) or below (Forth) `from`: on the next non-empty lane of `lanes`, ordered from the top of the
/// screen, the event at the middle of `from`, or the nearest to it.
std::optional<EventRef> event_on_next_lane(const trace::Trace& trace, const EventRef& from,
                                           std::span<const trace::LaneId> lanes, Along along, base::Nanoseconds until);

/// The iteration that contains `t`, or else the nearest; empty if the trace has none.
std::optional<EventRef> iteration_at(const trace::Trace& trace, base::Nanoseconds t, base::Nanoseconds until);

/// The numbers of the first and last iteration kept; empty if the trace has none.
std::optional<std::pair<std::uint32_t, std::uint32_t>> iteration_numbers(const trace::Trace& trace,
                                                                         base::Nanoseconds until);
/// Finds an iteration by its displayed number. Costs a binary search, because numbers ascend.
std::optional<EventRef> iteration_numbered(const trace::Trace& trace, std::uint32_t number, base::Nanoseconds until);

// The ranges around an event: what its program was doing.

/// The ranges on the event's thread that contain it, innermost first: a framework's operators, the functions of a
/// recorded Python stack, the phases of the loop, its iteration. For GPU work, those around the call that issued it;
/// empty if that is unknown.
std::vector<EventRef> enclosing_ranges(const trace::Links& links, const EventRef& event);

}  // namespace lanescope::ui
