#include "inspect/cause.h"

#include <algorithm>

#include "trace/names.h"

namespace lanescope::ui {
namespace {

using analysis::Bubble;
using analysis::BubbleCause;
using trace::EventIndex;
using trace::LaneId;

bool is_calls_lane(trace::LaneKind kind) { return kind == trace::LaneKind::Calls; }

// The event of a lane with exactly this start and name.
std::optional<EventRef> event_at(const trace::Trace& trace, LaneId id, Nanoseconds start, trace::NameId name) {
  if (id >= trace.lane_count()) return std::nullopt;
  const trace::Lane& lane = trace.lane(id);
  for (std::size_t r = 0; r < lane.row_count(); ++r) {
    const trace::Row& row = lane.row(r);
    const EventIndex last = row.last();
    const EventIndex i = row.first_starting_at_or_after(start, row.first(), last);
    if (i < last && row.start(i) == start && row.event(i).name == name) return event_ref(id, r, row, i);
  }
  return std::nullopt;
}

// The operation with the latest end at or before t.
std::optional<EventRef> operation_before(const trace::Links& links, trace::GpuNumber gpu, Nanoseconds t) {
  const trace::Trace& trace = links.trace();
  std::optional<EventRef> found;
  for_rows(trace, trace::is_gpu_work_lane, [&](LaneId lane, std::size_t r, const trace::Row& row) {
    if (links.owners().gpu_of(lane) != gpu) return;
    const EventIndex after = row.first_ending_after(t, row.first(), row.last());
    if (after == row.first() || (found && found->event.end_ns >= row.end(after - 1))) return;
    found = event_ref(lane, r, row, after - 1);
  });
  return found;
}

// The operation with the earliest start at or after t.
std::optional<EventRef> operation_from(const trace::Links& links, trace::GpuNumber gpu, Nanoseconds t) {
  const trace::Trace& trace = links.trace();
  std::optional<EventRef> found;
  for_rows(trace, trace::is_gpu_work_lane, [&](LaneId lane, std::size_t r, const trace::Row& row) {
    if (links.owners().gpu_of(lane) != gpu) return;
    const EventIndex last = row.last();
    const EventIndex i = row.first_starting_at_or_after(t, row.first(), last);
    if (i == last || (found && found->event.start_ns <= row.start(i))) return;
    found = event_ref(lane, r, row, i);
  });
  return found;
}

template <typename F>
auto bubble_if(const analysis::LiveAnalysis& analysis, trace::GpuNumber gpu, Nanoseconds t, F before) {
  const auto& bubbles = analysis.bubbles(gpu);
  const auto b = std::lower_bound(bubbles.begin(), bubbles.end(), t, before);
  return b == bubbles.end() || b->cause == BubbleCause::StartOrEnd ? std::nullopt : std::optional<Bubble>(*b);
}

std::optional<Bubble> bubble_starting_at(const analysis::LiveAnalysis& analysis, trace::GpuNumber gpu, Nanoseconds t) {
  const auto b = bubble_if(analysis, gpu, t, [](const Bubble& x, Nanoseconds at) { return x.start_ns < at; });
  return b && b->start_ns == t ? b : std::nullopt;
}

std::optional<Bubble> bubble_ending_at(const analysis::LiveAnalysis& analysis, trace::GpuNumber gpu, Nanoseconds t) {
  const auto b = bubble_if(analysis, gpu, t, [](const Bubble& x, Nanoseconds at) { return x.end_ns < at; });
  return b && b->end_ns == t ? b : std::nullopt;
}

EventRun run_of(const EventRef& one) { return {one.lane, one.row, one.index, one.index + 1}; }

// The calls of a row that start in [from, to).
std::pair<EventIndex, EventIndex> starting_in(const trace::Row& row, Nanoseconds from, Nanoseconds to) {
  const EventIndex last = row.last();
  const EventIndex begin = row.first_starting_at_or_after(from, row.first(), last);
  return {begin, row.first_starting_at_or_after(to, begin, last)};
}

Highlight highlight_of_wait(const trace::Trace& trace, const trace::Event& call) {
  Highlight highlight;
  highlight.waited_for = true;
  const Nanoseconds to = call.end_ns - trace::parts_of(call).returning;
  for_rows(trace, trace::is_gpu_work_lane, [&](LaneId lane, std::size_t r, const trace::Row& row) {
    const EventIndex first = row.first_ending_after(call.start_ns, row.first(), row.last());
    const EventIndex last = row.first_starting_at_or_after(to, first, row.last());
    if (first < last) highlight.runs.push_back({lane, r, first, last});
  });
  return highlight;
}

}  // namespace

CausePath cause_path(const trace::Links& links, const Bubble& bubble) {
  const trace::Trace& trace = links.trace();
  const trace::Trace::ReadLock lock(trace);
  CausePath path;
  path.bubble = bubble;
  if (bubble.cause == BubbleCause::StartOrEnd) return path;
  // A late launch is not a wait; it is the end of the path.
  const analysis::CauseGroup group = analysis::group_of(bubble.cause);
  const bool of_launch = group == analysis::CauseGroup::Launch || group == analysis::CauseGroup::Graph ||
                         bubble.cause == BubbleCause::Dependency || bubble.cause == BubbleCause::Migration ||
                         bubble.cause == BubbleCause::Unknown;
  if (!of_launch) {
    path.wait = event_at(trace, bubble.call_lane, bubble.call_start_ns, bubble.call);
  }
  path.last_operation = operation_before(links, bubble.gpu, bubble.start_ns);
  if (path.last_operation) path.its_launch = links.call_of(*path.last_operation);
  path.next_operation = operation_from(links, bubble.gpu, bubble.end_ns);
  if (path.next_operation) path.next_launch = links.call_of(*path.next_operation);
  return path;
}

CausePath cause_path(const analysis::LiveAnalysis& analysis, const EventRef& event) {
  const trace::Links& links = analysis.links();
  if (trace::is_blocking(event.event)) {
    CausePath path;
    const auto last = links.waited_for(event);
    // A blocking copy that found the GPU idle has waited for nothing; its arrow shows its own copy.
    if (!last && !trace::is_sync(event.event) && trace::parts_of(event.event).waiting == 0) return {};
    if (const auto bubble =
            last ? bubble_starting_at(analysis, links.owners().gpu_of(last->lane), last->event.end_ns) : std::nullopt) {
      path = cause_path(links, *bubble);
    }
    path.wait = event;
    path.last_operation = last;
    if (last && !path.its_launch) path.its_launch = links.call_of(*last);
    return path;
  }
  if (!trace::is_gpu_work(event.event.kind)) return {};
  const trace::GpuNumber gpu = links.owners().gpu_of(event.lane);
  auto bubble = bubble_starting_at(analysis, gpu, event.event.end_ns);
  if (!bubble) bubble = bubble_ending_at(analysis, gpu, event.event.start_ns);
  return bubble ? cause_path(links, *bubble) : CausePath{};
}

Nanoseconds least_that_matters(double iteration_ns) {
  const double share = std::clamp(iteration_ns * kShareThatMatters, 0.0, 1e15);
  return std::max(kOrdinaryGap, static_cast<Nanoseconds>(share));
}

bool matters(const CausePath& path, Nanoseconds least) {
  if (path.bubble && path.bubble->duration() >= least) return true;
  if (!path.wait) return false;
  const trace::Event& wait = path.wait->event;
  const trace::CallParts parts = trace::parts_of(wait);
  return (trace::is_blocking(wait) ? parts.waiting + parts.copying : wait.duration()) >= least;
}

Repeats repeats_of(const analysis::LiveAnalysis& analysis, const Bubble& bubble, Nanoseconds from, Nanoseconds to) {
  Repeats repeats;
  repeats.over_ns = to - from;
  const auto& bubbles = analysis.bubbles(bubble.gpu);
  auto b = std::lower_bound(bubbles.begin(), bubbles.end(), from,
                            [](const Bubble& x, Nanoseconds t) { return x.start_ns < t; });
  for (; b != bubbles.end() && b->start_ns < to; ++b) {
    if (b->cause != bubble.cause || b->call != bubble.call) continue;
    ++repeats.count;
    repeats.total_ns += b->duration();
  }
  return repeats;
}

Highlight highlight_of(const trace::Links& links, const EventRef& event) {
  const trace::Trace& trace = links.trace();
  const trace::Trace::ReadLock lock(trace);
  if (trace::is_sync(event.event) && trace::is_blocking(event.event)) return highlight_of_wait(trace, event.event);
  Highlight highlight;
  if (trace::is_gpu_work(event.event.kind)) {
    if (const auto call = links.call_of(event)) highlight.runs.push_back(run_of(*call));
  } else if (event.event.kind == trace::EventKind::Call) {
    for (const EventRef& operation : links.operations_of(event)) highlight.runs.push_back(run_of(operation));
  } else if (event.event.kind == trace::EventKind::Range && event.event.duration() > 0) {
    highlight.runs = links.issued_in(event.lane, event.event.start_ns, event.event.end_ns);
  }
  return highlight;
}

Highlight highlight_of(const trace::Links& links, const Bubble& bubble) {
  const CausePath path = cause_path(links, bubble);
  Highlight highlight;
  if (path.wait) highlight.runs.push_back(run_of(*path.wait));
  if (path.next_launch) highlight.runs.push_back(run_of(*path.next_launch));
  return highlight;
}

std::vector<EventRef> graph_nodes(const trace::Links& links, const EventRef& event) {
  const auto call = trace::is_gpu_work(event.event.kind) ? links.call_of(event) : std::optional(event);
  if (!call || call->event.kind != trace::EventKind::Call) return {};
  if (!trace::is_graph_launch(links.trace().names().text(call->event.name))) return {};
  return links.operations_of(*call);
}

std::vector<Launch> launches_in(const trace::Links& links, Nanoseconds from, Nanoseconds to, std::size_t most) {
  const trace::Trace& trace = links.trace();
  const trace::Trace::ReadLock lock(trace);
  std::vector<Launch> launches;
  for_rows(trace, is_calls_lane, [&](LaneId lane, std::size_t r, const trace::Row& row) {
    const auto [first, last] = starting_in(row, from, to);
    const EventIndex step = std::max<EventIndex>(1, (last - first + most - 1) / std::max<std::size_t>(1, most));
    for (EventIndex i = first; i < last; i += step) {
      const EventRef call = event_ref(lane, r, row, i);
      if (trace::is_sync(call.event)) continue;
      if (const auto operation = links.operation_of(call)) launches.push_back({call, *operation});
    }
  });
  std::sort(launches.begin(), launches.end(),
            [](const Launch& a, const Launch& b) { return a.call.event.start_ns < b.call.event.start_ns; });
  return launches;
}

}  // namespace lanescope::ui
