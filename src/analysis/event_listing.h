// The events that a query is about in the order of EventKey: some from a place on, or all as they are found.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/event_query.h"

namespace lanescope::analysis {

/// The events of several rows as one list, for use under a Trace::ReadLock. Cost depends on the number of rows and of
/// events that are read, not on the number of events in the trace.
class EventRows {
 public:
  /// Reads at most this many events for an answer: those with the wanted names may be far apart.
  static constexpr std::size_t kMostLooked = 200'000;

  EventRows(const trace::Trace& trace, const EventQuery& query, std::size_t most_looked = kMostLooked)
      : trace_(trace),
        filter_(query.names, query.name),
        most_looked_(most_looked),
        sources_(event_sources(trace, query)) {}

  std::uint64_t count() const;  ///< regardless of their names
  /// Up to n events from `at` on, in order. Sets `cut` if reading no more was the reason that there are fewer.
  std::vector<trace::EventRef> from(const EventKey& at, std::size_t n, bool* cut = nullptr) const {
    return walk(at, n, true, cut);
  }
  /// Up to n events before `at`, nearest first.
  std::vector<trace::EventRef> before(const EventKey& at, std::size_t n, bool* cut = nullptr) const {
    return walk(at, n, false, cut);
  }

 private:
  std::vector<trace::EventRef> walk(const EventKey& at, std::size_t n, bool forward, bool* cut) const;

  const trace::Trace& trace_;
  mutable NameFilter filter_;  // remembers names
  const std::size_t most_looked_;
  const std::vector<EventSource> sources_;
};

/// Finds the events of a query in a trace that may be growing, one slice of time after another. Reads every event once.
class Finder {
 public:
  explicit Finder(EventQuery query) : query_(std::move(query)), filter_(query_.names, query_.name) {}

  struct Batch {
    std::vector<trace::EventRef> events;  ///< in order, the first `room` of them
    std::uint64_t count = 0;              ///< all of them
    bool more = false;                    ///< more can be read right away
  };
  /// Continues with about `slice` unread events.
  Batch next(const trace::Trace& trace, std::size_t room, const Watch& watch, std::uint64_t slice = 1'000'000);

 private:
  std::vector<EventSource> unread(const trace::Trace& trace) const;

  EventQuery query_;
  NameFilter filter_;
  std::map<std::pair<trace::LaneId, std::uint16_t>, trace::EventIndex> read_until_;  // by lane and row
};

}  // namespace lanescope::analysis
