#include "inspect/enclosing.h"

#include <algorithm>
#include <tuple>

namespace lanescope::ui {

std::vector<EventRef> enclosing_ranges(const trace::Links& links, const EventRef& event) {
  const trace::Trace& trace = links.trace();
  EventRef inner = event;
  if (trace::is_gpu_work(event.event.kind)) {
    const auto call = links.call_of(event);
    if (!call) return {};
    inner = *call;
  }
  const trace::LaneInfo& thread = trace.lane(inner.lane).info();
  if (!trace::is_cpu_lane(thread.kind)) return {};
  const trace::Trace::ReadLock lock(trace);
  std::vector<EventRef> found;
  const auto holds_ranges = [](trace::LaneKind kind) {
    return kind == trace::LaneKind::Iterations || kind == trace::LaneKind::Phases;
  };
  for_rows(trace, holds_ranges, [&](trace::LaneId lane, std::size_t r, const trace::Row& row) {
    const trace::LaneInfo& info = trace.lane(lane).info();
    if (info.tid != thread.tid || info.pid != thread.pid || info.host != thread.host) return;
    // A row's events do not overlap: only the one that covers the event's start can contain it.
    const trace::EventIndex last = row.last();
    const trace::EventIndex i = row.first_ending_after(inner.event.start_ns, row.first(), last);
    if (i == last || row.start(i) > inner.event.start_ns || row.end(i) < inner.event.end_ns) return;
    const EventRef range = event_ref(lane, r, row, i);
    if (range == inner) return;
    // Of two that are equally long, the one further up contains the other.
    const bool same = range.event.start_ns == inner.event.start_ns && range.event.end_ns == inner.event.end_ns;
    if (same && lane == inner.lane && r > inner.row) return;
    found.push_back(range);
  });
  std::sort(found.begin(), found.end(), [&](const EventRef& a, const EventRef& b) {
    const auto outer_last = [&](const EventRef& e) {
      const bool iteration = trace.lane(e.lane).info().kind == trace::LaneKind::Iterations;
      return std::tuple(e.event.duration(), iteration, -static_cast<std::int64_t>(e.row));
    };
    return outer_last(a) < outer_last(b);
  });
  return found;
}

}  // namespace lanescope::ui
