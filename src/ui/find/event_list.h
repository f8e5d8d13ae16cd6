// The list of events beside the timeline: what is in view, or in the selection, filtered; in step with the graph.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "ui/find/event_rows.h"
#include "ui/find/found_events.h"

namespace lanescope::ui {

enum class ListScope : std::uint8_t { View, Selection, All };

/// What is listed, and from where on.
struct ListWish {
  Nanoseconds from = 0, to = 0;
  std::vector<trace::LaneId> lanes;  ///< empty: all
  std::size_t rows = 0;              ///< so many fit on the screen
};

struct EventListState {
  std::string filter;
  ListScope scope = ListScope::View;
  FoundEvents matches;  ///< of the filter
  EventKey top;         ///< the list shows what is not before it
  std::optional<EventRef> hovered;

  // What is on the screen, read again when something has changed.
  std::vector<EventRef> shown;
  std::size_t rows = 0;          ///< that there was room for
  std::uint64_t count = 0;       ///< in scope
  bool counts_filtered = false;  ///< `count` knows of the filter
  bool cut = false;              ///< looking for the filtered ones would have taken too long
  std::chrono::steady_clock::time_point read{};
  std::optional<EventRef> selected;  ///< when it was read last
  std::pair<Nanoseconds, Nanoseconds> view{};
};

/// Fills `shown` and `count`, from `top` on; a top behind the last page moves up to it.
void read_event_list(EventListState& list, const trace::Trace& trace, const ListWish& wish);
/// Moves the top by rows, down where positive, as far as there are events in scope.
void scroll_event_list(EventListState& list, const trace::Trace& trace, const ListWish& wish, int rows);
/// Puts an event a third down the list; when it is not in scope the top is its start.
void show_in_event_list(EventListState& list, const trace::Trace& trace, const ListWish& wish, const EventRef& event);

/// "12.345 678 901": seconds with all their nanoseconds.
std::string full_time(Nanoseconds t);

}  // namespace lanescope::ui
