// A question about the events of a trace, and the one way in which its events are read: piece by piece, each under a
// lock of its own, while the trace grows. What is made of them is in event_groups.h and event_listing.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "analysis/name_query.h"
#include "base/background_job.h"
#include "trace/owners.h"
#include "trace/trace.h"

namespace lanescope::analysis {

using base::Nanoseconds;

/// True if the lane's events have a duration, so that they can be listed and counted; those of markers and counters are
/// instants.
inline bool has_intervals(trace::LaneKind kind) {
  return kind != trace::LaneKind::Markers && kind != trace::LaneKind::Counter;
}

enum class GroupBy : std::uint8_t {
  Name,
  NameAndLane,  ///< and the kind of lane: a call and a range of the same name are different things
  NameAndKind,  ///< and GroupKind; a blocking call counts once more, with its waiting part
};

enum class GroupColumn : std::uint8_t { Name, Kind, Count, Sum, Mean, P50, P99, Max, Share, Min };
/// Names in the order of the alphabet, numbers from the largest; reversed if `ascending`. Equal ones by name.
struct GroupOrder {
  GroupColumn by = GroupColumn::Sum;
  bool ascending = false;
  bool operator==(const GroupOrder&) const = default;
};

/// What is known of the events of a group: each includes what is before it.
enum class GroupDetail : std::uint8_t {
  Sums,          ///< count, sum, mean, shortest and longest
  Percentiles,   ///< all durations are kept, or counted
  Distribution,  ///< and those of all events together, with a histogram
};

/// The number of durations kept for exact percentiles.
inline constexpr std::size_t kExactDurations = 4'000'000;

struct EventQuery {
  // Which events.
  static constexpr Nanoseconds kAlways = std::numeric_limits<Nanoseconds>::min();
  static constexpr Nanoseconds kForever = std::numeric_limits<Nanoseconds>::max();
  Nanoseconds from = kAlways, to = kForever;
  bool overlapping = false;            ///< those that overlap [from, to); otherwise those that start in it
  std::vector<trace::LaneId> lanes{};  ///< empty: all with intervals
  std::optional<trace::LaneKind> lane_kind{};
  trace::GpuNumber gpu = trace::kNobody;  ///< only the lanes with its work
  bool markers = false;                   ///< also instants worth showing
  NameQuery names{};                      ///< empty: all
  std::optional<trace::NameId> name{};    ///< exactly this one

  // How they are grouped, see event_groups.h.
  GroupBy group = GroupBy::NameAndLane;
  GroupDetail detail = GroupDetail::Percentiles;
  GroupOrder order{};
  std::size_t limit = 0;  ///< this many groups, the first in that order; 0: all
  std::size_t exact_durations = kExactDurations;

  bool whole() const { return from == kAlways && to == kForever; }
  bool operator==(const EventQuery&) const = default;
};

/// The order in which events are listed: by start. Of those that start together, an iteration precedes its contents,
/// and a call its kernel.
struct EventKey {
  Nanoseconds start = EventQuery::kAlways;
  trace::LaneKind kind = trace::LaneKind::Iterations;
  trace::LaneId lane = 0;
  std::uint16_t row = 0;
  trace::EventIndex index = 0;

  auto operator<=>(const EventKey&) const = default;
};
EventKey key_of(const trace::Trace& trace, const trace::EventRef& ref);

/// Events of one row that a query is about, whatever their names: [first, last).
struct EventSource {
  const trace::Row* row;
  trace::EventIndex first, last;
  trace::LaneKind kind;
  trace::LaneId lane;
  std::uint16_t number;  ///< of the row

  std::uint64_t count() const { return last - first; }
  EventKey key(trace::EventIndex i) const { return {row->start(i), kind, lane, number, i}; }
};
/// By lane and row, without empty ones. Found by searches only.
std::vector<EventSource> event_sources(const trace::Trace& trace, const EventQuery& query);
/// The number of their events.
std::int64_t count_events(const trace::Trace& trace, const EventQuery& query);

/// Differs from an earlier one if events that the query is about, whatever their names, have been added or evicted
/// since.
struct Growth {
  std::uint64_t added = 0, gone = 0;

  std::uint64_t events() const { return added - gone; }  ///< of the whole trace: at least as many
  bool operator==(const Growth&) const = default;
};
Growth growth_of(const trace::Trace& trace, const EventQuery& query);

/// Whom a long reading asks and tells; each may be missing.
struct Watch {
  const base::Stop* stop = nullptr;
  std::atomic<float>* progress = nullptr;  ///< from 0 to 1

  bool stopped() const { return stop && *stop; }
};

/// Calls visit(source, block, first, last) for the events of the sources, in their order: [first, last) lie in this
/// block. Leaves out those that are evicted meanwhile. Returns early if it is stopped.
template <class Visit>
void scan(const trace::Trace& trace, std::span<const EventSource> sources, const Watch& watch, Visit&& visit) {
  using trace::EventIndex;
  constexpr EventIndex kPiece = 16 * trace::kBlockEvents;  // per lock
  EventIndex all = 0, done = 0;
  for (const EventSource& source : sources) all += source.count();
  for (const EventSource& source : sources) {
    for (EventIndex i = source.first; i < source.last && !watch.stopped();) {
      const EventIndex begin = i, end = std::min(source.last, (i / kPiece + 1) * kPiece);
      {
        const trace::Trace::ReadLock lock(trace);
        for (i = std::max(i, source.row->first()); i < end;) {
          const EventIndex past = std::min(end, (i / trace::kBlockEvents + 1) * trace::kBlockEvents);
          visit(source, *source.row->block(i), i, past);
          i = past;
        }
      }
      i = std::min(i, source.last);
      done += i - begin;
      if (watch.progress) *watch.progress = static_cast<float>(done) / static_cast<float>(all);
    }
  }
}

}  // namespace lanescope::analysis
