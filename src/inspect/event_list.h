// The list of events beside the timeline: what is in view or selected, filtered, in sync with the timeline.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "inspect/search.h"

namespace lanescope::ui {

enum class ListScope : std::uint8_t { View, Selection, All };

/// What to list.
struct ListWish {
  Nanoseconds from = 0, to = 0;
  std::vector<trace::LaneId> lanes;  ///< empty: all
  std::size_t rows = 0;              ///< rows that fit on the screen
};

struct EventListState {
  std::string filter;
  ListScope scope = ListScope::View;
  FoundEvents matches;     ///< for the filter
  analysis::EventKey top;  ///< the list shows events from this one on
  std::optional<EventRef> hovered;

  // The displayed rows, read again when something has changed.
  std::vector<EventRef> shown;
  std::size_t rows = 0;          ///< rows available at that time
  std::uint64_t count = 0;       ///< events in scope
  bool counts_filtered = false;  ///< `count` takes the filter into account
  bool cut = false;              ///< the search for matches was cut short because it would have taken too long
  std::chrono::steady_clock::time_point read{};
  std::optional<EventRef> selected;  ///< at the last read
  std::pair<Nanoseconds, Nanoseconds> view{};
};

/// Sets `shown` and `count`, starting at `top`. A `top` beyond the last page moves back to it.
void read_event_list(EventListState& list, const trace::Trace& trace, const ListWish& wish);
/// Scrolls by rows, down if positive, within the events in scope.
void scroll_event_list(EventListState& list, const trace::Trace& trace, const ListWish& wish, int rows);
/// Scrolls an event to a third of the list's height. If it is not in scope, scrolls to its start time.
void show_in_event_list(EventListState& list, const trace::Trace& trace, const ListWish& wish, const EventRef& event);

/// Seconds with all nanoseconds: "12.345 678 901".
std::string full_time(Nanoseconds t);

}  // namespace lanescope::ui
