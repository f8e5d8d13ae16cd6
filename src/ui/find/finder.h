// Reads a trace for the events with certain names, a slice of time after the other, while it may still be growing.
#pragma once

#include <cstdint>
#include <vector>

#include "ui/find/background_job.h"
#include "ui/find/event_order.h"
#include "ui/find/name_query.h"

namespace lanescope::ui {

class Finder {
 public:
  /// `markers`: instants that a person should see are found, too.
  explicit Finder(NameQuery query, bool markers = false) : query_(std::move(query)), markers_(markers) {}

  struct Batch {
    std::vector<EventRef> events;  ///< in order, the first `room` of them
    std::uint64_t count = 0;       ///< all
    bool more = false;             ///< there is more to read already
  };
  /// What was not read yet, of about `slice` events at most. Every event is looked at once; locks are held for short.
  Batch next(const trace::Trace& trace, std::size_t room, const Stop& stop, std::uint64_t slice = 1'000'000);

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
  bool any_ = false;                                        // some name matches
  std::vector<std::vector<trace::EventIndex>> read_until_;  // by lane and row
};

}  // namespace lanescope::ui
