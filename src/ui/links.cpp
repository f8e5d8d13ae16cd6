#include "ui/links.h"

#include <algorithm>

namespace lanescope::ui {

using trace::EventIndex;
using trace::LaneId;

std::optional<EventRef> gpu_operation_of(const trace::Trace& trace, const trace::Event& call, std::size_t limit) {
  if (call.correlation == 0) return std::nullopt;
  const trace::Trace::ReadLock lock(trace);
  std::optional<EventRef> found;
  for_rows(trace, trace::is_gpu_work_lane, [&](LaneId lane, std::size_t r, const trace::Row& row) {
    const EventIndex last = row.last();
    // An operation cannot end before its call began.
    EventIndex i = row.first_ending_after(call.start_ns, row.first(), last);
    for (std::size_t n = 0; !found && n < limit && i < last; ++n, ++i) {
      if (row.event(i).correlation == call.correlation) found = event_ref(lane, r, row, i);
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
      if (row.event(i).correlation == operation.correlation) found = event_ref(lane, r, row, i);
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
    found = event_ref(lane, r, row, i);
  });
  return found;
}

}  // namespace lanescope::ui
