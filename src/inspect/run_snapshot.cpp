#include "inspect/run_snapshot.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <map>

namespace lanescope::ui {
namespace {

using trace::EventIndex;
using trace::LaneKind;

constexpr EventIndex kSnapshotPiece = 8192;  // events per lock: a fraction of a millisecond

// The events of one lane that overlap [from, to), from all its sub-rows, ordered by start.
std::vector<trace::Event> events_of(const trace::Trace& source, trace::LaneId id, Nanoseconds from, Nanoseconds to) {
  std::vector<trace::Event> events;
  const std::size_t rows = source.lane(id).row_count();
  for (std::size_t r = 0; r < rows; ++r) {
    const trace::Row& row = source.lane(id).row(r);
    EventIndex next = 0, end = 0;
    for (bool begun = false; !begun || next < end; begun = true) {
      const trace::Trace::ReadLock lock(source);
      const EventIndex first = row.first();
      if (!begun) {
        end = row.first_starting_at_or_after(to, first, row.last());
        next = row.first_ending_after(from, first, end);
      }
      next = std::max(next, first);
      const EventIndex until = std::min(end, next + kSnapshotPiece);
      for (; next < until; ++next) events.push_back(row.event(next));
    }
  }
  if (rows > 1) {
    std::stable_sort(events.begin(), events.end(), [](const trace::Event& a, const trace::Event& b) {
      return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
    });
  }
  return events;
}

std::vector<IterationSpan> iterations_of(const trace::Trace& trace, Nanoseconds from, Nanoseconds to) {
  std::vector<IterationSpan> found;
  for (std::size_t l = 0; l < trace.lane_count() && found.empty(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(l));
    if (lane.info().kind != LaneKind::Iterations || lane.row_count() == 0) continue;
    const trace::Row& row = lane.row(0);
    for (EventIndex i = row.first(); i < row.last(); ++i) {
      if (row.start(i) >= from && row.end(i) <= to && row.end(i) > row.start(i)) {
        found.push_back({row.start(i), row.end(i)});
      }
    }
  }
  return found;
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> number = 0;
  return ++number;
}

}  // namespace

std::unique_ptr<trace::Trace> copy_stretch(const trace::Trace& source, Nanoseconds from, Nanoseconds to) {
  auto copy = std::make_unique<trace::Trace>();
  for (std::size_t l = 0; l < source.lane_count(); ++l) {
    const auto id = static_cast<trace::LaneId>(l);
    const trace::LaneInfo& info = source.lane(id).info();
    if (info.kind == LaneKind::Markers || info.kind == LaneKind::Counter) continue;
    std::vector<trace::Event> events = events_of(source, id, from, to);
    if (events.empty()) continue;
    const trace::LaneId lane = copy->add_lane(info);
    for (trace::Event& event : events) {
      event.lane = lane;
      event.name = copy->names().intern(source.names().text(event.name));
      copy->append(event);
    }
  }
  copy->copy_recording(source, from, to);
  copy->publish();
  copy->set_complete_until(std::max(to, copy->extent().second));
  return copy;
}

std::size_t typical_iteration(const std::vector<IterationSpan>& iterations) {
  const std::size_t inset = iterations.size() > 2 ? 1 : 0;
  const std::size_t end = iterations.size() - inset;
  std::vector<Nanoseconds> lengths;
  for (std::size_t i = inset; i < end; ++i) lengths.push_back(iterations[i].duration());
  if (lengths.empty()) return 0;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() - 1) / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  const auto distance = [&](std::size_t i) {
    return std::abs(2 * static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(iterations.size() - 1));
  };
  std::size_t best = iterations.size();
  for (std::size_t i = inset; i < end; ++i) {
    if (iterations[i].duration() != *middle) continue;
    if (best == iterations.size() || distance(i) < distance(best)) best = i;
  }
  return best;
}

SharedSnapshot with_figures(const RunSnapshot& run, const analysis::Summary& summary) {
  auto other = std::make_shared<RunSnapshot>(run);
  other->summary = summary;
  return other;
}

void cut_to_newest(SnapshotPlan& plan, const analysis::LiveAnalysis& analysis, std::int64_t most_events) {
  const auto newest = analysis::steady_stretch(
      *plan.source, analysis.records(), {.from_ns = plan.from_ns, .to_ns = plan.to_ns, .most_events = most_events});
  if (newest) std::tie(plan.from_ns, plan.to_ns) = *newest;
}

std::optional<SnapshotPlan> plan_ended(const trace::Trace& trace, const analysis::LiveAnalysis& analysis,
                                       analysis::Summary figures, std::int64_t most_events) {
  SnapshotPlan plan;
  plan.source = &trace;
  const auto records = analysis.records();
  plan.summary = std::move(figures);
  std::tie(plan.from_ns, plan.to_ns) = trace.extent();
  if (records.empty()) {
    if (plan.to_ns - plan.from_ns < 2) return std::nullopt;
    plan.whole = true;
    return plan;
  }
  plan.from_ns = records.front().start_ns;
  plan.to_ns = records.back().end_ns;
  cut_to_newest(plan, analysis, most_events);
  return plan;
}

SharedSnapshot take_snapshot(SnapshotPlan plan) {
  auto snapshot = std::make_shared<RunSnapshot>();
  snapshot->trace = copy_stretch(*plan.source, plan.from_ns, plan.to_ns);
  snapshot->iterations = iterations_of(*snapshot->trace, plan.from_ns, plan.to_ns);
  snapshot->whole = plan.whole;
  if (snapshot->iterations.empty()) snapshot->iterations.push_back({plan.from_ns, plan.to_ns});
  snapshot->typical = typical_iteration(snapshot->iterations);
  auto analysis = std::make_shared<analysis::LiveAnalysis>(*snapshot->trace);
  analysis->update(snapshot->trace->complete_until());
  analysis->finish();
  snapshot->analysis = std::move(analysis);
  snapshot->summary = std::move(plan.summary);
  snapshot->title = std::move(plan.title);
  snapshot->label = std::move(plan.label);
  snapshot->facts = std::move(plan.facts);
  snapshot->number = next_number();
  return snapshot;
}

namespace {

// Of a wait that is shorter now, or gone, as much as is left.
void shorten(trace::Event& call) {
  trace::CallParts parts = trace::parts_of(call);
  Nanoseconds left = call.duration();
  for (Nanoseconds* part : {&parts.own, &parts.returning, &parts.copying}) {
    *part = std::min(*part, left);
    left -= *part;
  }
  trace::set_parts(call, parts);
}

}  // namespace

SharedSnapshot replayed_snapshot(const trace::Trace& source, const analysis::ReplayedIteration& iteration,
                                 std::string label) {
  const auto [from, to] = iteration.recorded;
  Nanoseconds last = to;
  std::map<std::pair<Nanoseconds, trace::NameId>, const analysis::ReplayedIteration::Operation*> moved;
  for (const auto& operation : iteration.operations) {
    moved[{operation.recorded_ns, operation.name}] = &operation;
    last = std::max(last, operation.recorded_ns + 1);
  }
  // False: it is not there any more.
  const auto move = [&](trace::Event& event, LaneKind kind) {
    if (trace::is_gpu_work_lane(kind)) {
      const auto found = moved.find({event.start_ns, event.name});
      if (found == moved.end()) return false;
      event.start_ns = found->second->start_ns;
      event.end_ns = found->second->end_ns;
      return true;
    }
    const Nanoseconds before = event.duration();
    if (event.start_ns >= to) return false;
    event.start_ns = iteration.replayed(std::max(event.start_ns, from));
    event.end_ns = iteration.replayed(std::min(event.end_ns, to));
    if (trace::is_blocking(event)) shorten(event);
    return event.duration() > 0 || before == 0;
  };
  trace::Trace replayed;
  for (std::size_t l = 0; l < source.lane_count(); ++l) {
    const auto id = static_cast<trace::LaneId>(l);
    const trace::LaneInfo& info = source.lane(id).info();
    const bool gpu = trace::is_gpu_work_lane(info.kind);
    if (!gpu && info.kind != LaneKind::Phases && info.kind != LaneKind::Calls) continue;
    std::vector<trace::Event> events = events_of(source, id, from, gpu ? last : to);
    std::erase_if(events, [&](trace::Event& event) { return !move(event, info.kind); });
    if (events.empty()) continue;
    std::ranges::stable_sort(events, {}, &trace::Event::start_ns);
    const trace::LaneId lane = replayed.add_lane(info);
    for (trace::Event& event : events) {
      event.lane = lane;
      event.name = replayed.names().intern(source.names().text(event.name));
      replayed.append(event);
    }
  }
  replayed.publish();
  replayed.set_complete_until(std::max(iteration.end_ns, replayed.extent().second));
  SnapshotPlan plan;
  plan.source = &replayed;
  plan.from_ns = from;
  plan.to_ns = iteration.end_ns;
  plan.label = std::move(label);
  return take_snapshot(std::move(plan));
}

}  // namespace lanescope::ui
