#include "analysis/whole_stretches.h"

#include "analysis/recorded_time.h"

namespace lanescope::analysis {
namespace {

using trace::LaneId;

std::vector<Nanoseconds> iteration_ends(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                        trace::GpuNumber gpu) {
  const trace::Owners owners(trace);
  std::vector<Nanoseconds> ends;
  const trace::Trace::ReadLock lock(trace);
  for (std::size_t id = 0; id < trace.lane_count(); ++id) {
    const auto lane = static_cast<LaneId>(id);
    if (trace.lane(lane).info().kind != trace::LaneKind::Iterations) continue;
    if (gpu != trace::kNobody && owners.process_of(lane) != owners.gpus()[gpu].process) continue;
    for (std::size_t r = 0; r < trace.lane(lane).row_count(); ++r) {
      const trace::Row& row = trace.lane(lane).row(r);
      trace::EventIndex i = row.first_starting_at_or_after(from, row.first(), row.last());
      for (; i < row.last() && row.end(i) <= to; ++i) ends.push_back(row.end(i));
    }
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

}  // namespace

RecordedIterations recorded_iterations(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                       trace::GpuNumber gpu) {
  RecordedIterations found;
  RecordedTime recorded(trace, gpu);
  recorded.refresh(trace::Coverage::kAlways);
  found.in_parts = recorded.in_parts();
  Nanoseconds before = from;
  for (const Nanoseconds end : iteration_ends(trace, from, to, gpu)) {
    found.any = true;
    while (recorded.next() < end) recorded.pass();
    if (recorded.on() && recorded.since() <= before) found.iterations.push_back({before, end});
    before = end;
  }
  return found;
}

std::vector<TimeSpan> recorded_time(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, trace::GpuNumber gpu) {
  std::vector<TimeSpan> spans;
  RecordedTime time(trace, gpu);
  time.refresh(trace::Coverage::kAlways);
  while (time.next() < to) {
    const Nanoseconds begin = std::max(from, time.since()), end = time.next();
    if (time.pass() == RecordedTime::Edge::Ends && begin < end) spans.push_back({begin, end});
  }
  if (time.on()) spans.push_back({std::max(from, time.since()), to});
  return spans;
}

std::vector<TimeSpan> in_both(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b) {
  std::vector<TimeSpan> both;
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const Nanoseconds from = std::max(a[i].from, b[k].from), to = std::min(a[i].to, b[k].to);
    if (from < to) both.push_back({from, to});
    (a[i].to < b[k].to ? i : k) += 1;
  }
  return both;
}

std::optional<WholeStretches> whole_stretches(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                              trace::GpuNumber gpu) {
  if (!trace.recorded_in_parts()) return std::nullopt;
  const RecordedIterations recorded = recorded_iterations(trace, from, to, gpu);
  if (!recorded.in_parts) return std::nullopt;
  WholeStretches whole;
  whole.by_iteration = recorded.any;
  for (const TimeSpan& iteration : recorded.iterations) whole.add(iteration.from, iteration.to);
  whole.iterations = static_cast<std::int64_t>(recorded.iterations.size());
  if (whole.by_iteration) return whole;
  for (const TimeSpan& span : recorded_time(trace, from, to, gpu)) whole.add(span.from, span.to);
  return whole;
}

}  // namespace lanescope::analysis
