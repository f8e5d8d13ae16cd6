// Searches a trace, which may be growing, for events with certain names, one slice of time after another.
#pragma once

#include <cstdint>
#include <vector>

#include "base/background_job.h"
#include "inspect/event_order.h"
#include "inspect/name_query.h"

namespace lanescope::ui {

class Finder {
 public:
  /// `markers`: also find instants worth showing.
  explicit Finder(NameQuery query, bool markers = false) : query_(std::move(query)), markers_(markers) {}

  struct Batch {
    std::vector<EventRef> events;  ///< in order, the first `room` of them
    std::uint64_t count = 0;       ///< all matches
    bool more = false;             ///< more can be read right away
  };
  /// Continues the search with about `slice` unread events. Reads every event once, and holds locks only briefly.
  Batch next(const trace::Trace& trace, std::size_t room, const base::Stop& stop, std::uint64_t slice = 1'000'000);

 private:
  struct Source {
    const trace::Row* row;
    trace::LaneKind kind;
    trace::LaneId lane;
    std::uint16_t number;
    trace::EventIndex from, last;
  };
  bool match_new_names(const base::NameTable& names);
  std::vector<Source> unread(const trace::Trace& trace);

  NameQuery query_;
  bool markers_ = false;
  std::vector<char> matched_;                               // by name
  bool any_ = false;                                        // at least one name matches
  std::vector<std::vector<trace::EventIndex>> read_until_;  // by lane and row
};

}  // namespace lanescope::ui
