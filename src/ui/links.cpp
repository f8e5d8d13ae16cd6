#include "ui/links.h"

#include <algorithm>

namespace lanescope::ui {
namespace {

using trace::EventIndex;
using trace::LaneId;

// Calls f(lane, row number, row) for every row of the lanes that `wanted` accepts.
template <typename Wanted, typename F>
void for_rows(const trace::Trace& trace, Wanted wanted, F f) {
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
    if (!wanted(lane.info().kind)) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) f(static_cast<LaneId>(l), r, lane.row(r));
  }
}

EventRef ref(LaneId lane, std::size_t r, const trace::Row& row, EventIndex i) {
  EventRef found{lane, r, i, row.event(i)};
  found.event.lane = lane;
  return found;
}

}  // namespace

std::optional<EventRef> gpu_operation_of(const trace::Trace& trace, const trace::Event& call, std::size_t limit) {
  if (call.correlation == 0) return std::nullopt;
  const trace::Trace::ReadLock lock(trace);
  std::optional<EventRef> found;
  for_rows(trace, trace::is_gpu_work_lane, [&](LaneId lane, std::size_t r, const trace::Row& row) {
    const EventIndex last = row.last();
    // An operation cannot end before its call began.
    EventIndex i = row.first_ending_after(call.start_ns, row.first(), last);
    for (std::size_t n = 0; !found && n < limit && i < last; ++n, ++i) {
      if (row.event(i).correlation == call.correlation) found = ref(lane, r, row, i);
    }
  });
  return found;
}

std::optional<EventRef> call_of(const trace::Trace& trace, const trace::Event& operation, std::size_t limit) {
  if (operation.correlation == 0) return std::nullopt;
  const trace::Trace::ReadLock lock(trace);
  std::optional<EventRef> found;
  const auto calls = [](trace::LaneKind kind) { return kind == trace::LaneKind::Calls; };
  for_rows(trace, calls, [&](LaneId lane, std::size_t r, const trace::Row& row) {
    const EventIndex first = row.first();
    EventIndex i = row.first_starting_at_or_after(operation.end_ns, first, row.last());
    for (std::size_t n = 0; !found && n < limit && i > first; ++n) {
      --i;
      if (row.event(i).correlation == operation.correlation) found = ref(lane, r, row, i);
    }
  });
  return found;
}

std::optional<EventRef> waited_for(const trace::Trace& trace, const trace::Event& call) {
  if (!trace::is_blocking(call)) return std::nullopt;
  const trace::Trace::ReadLock lock(trace);
  const trace::CallParts parts = trace::parts_of(call);
  const trace::Nanoseconds wait_end = call.end_ns - parts.returning;
  std::optional<EventRef> found;
  for_rows(trace, trace::is_gpu_work_lane, [&](LaneId lane, std::size_t r, const trace::Row& row) {
    const EventIndex after = row.first_ending_after(wait_end, row.first(), row.last());
    if (after == row.first()) return;
    const EventIndex i = after - 1;
    if (row.end(i) <= call.start_ns || (found && found->event.end_ns >= row.end(i))) return;
    found = ref(lane, r, row, i);
  });
  return found;
}

}  // namespace lanescope::ui
