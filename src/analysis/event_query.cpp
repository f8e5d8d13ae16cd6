#include "analysis/event_query.h"

#include <numeric>

namespace lanescope::analysis {
namespace {

using trace::EventIndex;
using trace::LaneId;

void set_stretch(EventSource& source, const EventQuery& query) {
  const trace::Row& row = *source.row;
  source.last = row.last();
  source.first = row.first();
  if (query.whole()) return;
  if (!query.overlapping) {
    source.first = row.first_starting_at_or_after(query.from, source.first, source.last);
  } else if (query.from != EventQuery::kAlways) {
    // Includes an instant at `from`, but not an interval that ends there.
    EventIndex& first = source.first;
    first = row.first_ending_after(query.from - 1, first, source.last);
    while (first < source.last && row.end(first) == query.from && row.start(first) < query.from) ++first;
  }
  source.last = row.first_starting_at_or_after(query.to, source.first, source.last);
}

}  // namespace

EventKey key_of(const trace::Trace& trace, const trace::EventRef& ref) {
  return {ref.event.start_ns, trace.lane(ref.lane).info().kind, ref.lane, static_cast<std::uint16_t>(ref.row),
          ref.index};
}

std::vector<EventSource> event_sources(const trace::Trace& trace, const EventQuery& query) {
  const bool of_gpu = query.gpu != trace::kNobody;
  const std::optional<trace::Owners> owners = of_gpu ? std::optional<trace::Owners>(trace) : std::nullopt;
  const trace::Trace::ReadLock lock(trace);
  std::vector<LaneId> lanes = query.lanes;
  std::ranges::sort(lanes);
  lanes.erase(std::ranges::unique(lanes).begin(), lanes.end());
  if (lanes.empty()) {
    lanes.resize(trace.lane_count());
    std::iota(lanes.begin(), lanes.end(), LaneId{0});
  }
  std::vector<EventSource> sources;
  for (const LaneId id : lanes) {
    if (id >= trace.lane_count()) break;
    const trace::Lane& lane = trace.lane(id);
    const trace::LaneKind kind = lane.info().kind;
    if (!has_intervals(kind) && !(query.markers && kind == trace::LaneKind::Markers)) continue;
    if (query.lane_kind && kind != *query.lane_kind) continue;
    if (of_gpu && owners->gpu_of(id) != query.gpu) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      EventSource source{&lane.row(r), 0, 0, kind, id, static_cast<std::uint16_t>(r)};
      set_stretch(source, query);
      if (source.first < source.last) sources.push_back(source);
    }
  }
  return sources;
}

std::int64_t count_events(const trace::Trace& trace, const EventQuery& query) {
  std::int64_t count = 0;
  for (const EventSource& s : event_sources(trace, query)) count += static_cast<std::int64_t>(s.count());
  return count;
}

Growth growth_of(const trace::Trace& trace, const EventQuery& query) {
  if (query.whole()) return {trace.counts().recorded, trace.counts().evicted};
  Growth growth;
  for (const EventSource& source : event_sources(trace, query)) {
    growth.added += source.last;
    growth.gone += source.first;
  }
  return growth;
}

}  // namespace lanescope::analysis
