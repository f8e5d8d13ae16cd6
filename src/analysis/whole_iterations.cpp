#include "analysis/whole_iterations.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "analysis/intervals.h"
#include "analysis/recorded_time.h"

namespace lanescope::analysis {

WholeIterations::Sum WholeIterations::Stretch::until(const Point& point) const {
  Sum sum = before;
  sum.totals += point - first;
  sum.iterations += point.number - first.number;
  sum.run_ahead_ns += point.run_ahead_ns - first.run_ahead_ns;
  return sum;
}

void WholeIterations::pass(const Point& point) {
  if (!begun_) return;
  if (!in_stretch_) {
    if (stretches_.empty()) beginning_ns_ = point.end_ns;
    stretches_.push_back({point, point, all()});
    in_stretch_ = true;
    if (stretches_.size() > kMostStretches) {
      stretches_.pop_front();
      dropped_ = true;
    }
    return;
  }
  Stretch& stretch = stretches_.back();
  stretch.last = point;
  if (point.number == 1 && stretch.first.number == 0) first_ = all();
}

void WholeIterations::add_gap(const Bubble& gap) {
  if (stretches_.empty()) return;
  Stretch& stretch = stretches_.back();
  stretch.first.add_gap(gap, stretch.first.end_ns);
  stretch.last.add_gap(gap, stretch.last.end_ns);
}

void WholeIterations::add_place(const Bubble& gap) {
  if (stretches_.empty()) return;
  Stretch& stretch = stretches_.back();
  stretch.first.add_place(gap, stretch.first.end_ns);
  stretch.last.add_place(gap, stretch.last.end_ns);
}

void WholeIterations::set_run_ahead(std::int64_t number, std::int64_t integral_ns) {
  const auto number_of = [](const Stretch& s) { return s.last.number; };
  auto stretch = std::ranges::lower_bound(stretches_, number, {}, number_of);
  if (stretch == stretches_.end() || number < stretch->first.number) return;
  if (number == stretch->first.number) stretch->first.run_ahead_ns = integral_ns;
  if (number == stretch->last.number) stretch->last.run_ahead_ns = integral_ns;
  for (auto next = std::next(stretch); next != stretches_.end(); ++stretch, ++next)
    next->before.run_ahead_ns = stretch->before.run_ahead_ns + stretch->last.run_ahead_ns - stretch->first.run_ahead_ns;
}

WholeIterations::Sum WholeIterations::until(const Point& point) const {
  const auto next =
      std::ranges::upper_bound(stretches_, point.end_ns, {}, [](const Stretch& s) { return s.first.end_ns; });
  if (next == stretches_.begin()) {
    return dropped_ && point.end_ns > beginning_ns_ ? stretches_.front().before : Sum{};
  }
  const Stretch& stretch = next[-1];
  return point.end_ns >= stretch.last.end_ns ? stretch.until_end() : stretch.until(point);
}

// --- watched pace ----------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kEnoughOfBoth = 10;

}  // namespace

Nanoseconds WatchedPace::added_ns() const {
  constexpr Nanoseconds kShows = 10;  // below a tenth, it is not told from noise
  if (watched_.size() < kEnoughOfBoth || unwatched_.size() < kEnoughOfBoth) return 0;
  std::vector<Nanoseconds> watched = watched_, unwatched = unwatched_;
  const Nanoseconds usual = median(unwatched), added = median(watched) - usual;
  return kShows * added > usual ? added : 0;
}

double WatchedPace::unwatched_ns() const {
  if (unwatched_.size() < kEnoughOfBoth) return 0;
  const auto sum = std::accumulate(unwatched_.begin(), unwatched_.end(), Nanoseconds{0});
  return static_cast<double>(sum) / static_cast<double>(unwatched_.size());
}

// --- whole stretches -------------------------------------------------------------------------------------------------

namespace {

using trace::LaneId;

/// By their ends.
std::vector<TimeSpan> iterations_in(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, trace::GpuNumber gpu) {
  const trace::Owners owners(trace);
  std::vector<TimeSpan> found;
  const trace::Trace::ReadLock lock(trace);
  for (std::size_t id = 0; id < trace.lane_count(); ++id) {
    const auto lane = static_cast<LaneId>(id);
    if (trace.lane(lane).info().kind != trace::LaneKind::Iterations) continue;
    if (gpu != trace::kNobody && owners.process_of(lane) != owners.gpus()[gpu].process) continue;
    for (std::size_t r = 0; r < trace.lane(lane).row_count(); ++r) {
      const trace::Row& row = trace.lane(lane).row(r);
      trace::EventIndex i = row.first_starting_at_or_after(from, row.first(), row.last());
      for (; i < row.last() && row.end(i) <= to; ++i) found.push_back({row.start(i), row.end(i)});
    }
  }
  std::ranges::stable_sort(found, {}, &TimeSpan::to);
  return found;
}

}  // namespace

RecordedIterations recorded_iterations(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                       trace::GpuNumber gpu) {
  RecordedIterations found;
  RecordedTime recorded(trace, gpu);
  recorded.refresh(trace::Coverage::kAlways);
  found.in_parts = recorded.in_parts();
  WholeStretches known;
  if (found.in_parts)
    for (const TimeSpan& span : recorded_time(trace, from, to, gpu)) known.add(span.from, span.to);
  WatchedPace pace;
  Nanoseconds before = from;
  for (const auto& [start, end] : iterations_in(trace, from, to, gpu)) {
    found.any = true;
    while (recorded.next() < end) recorded.pass();
    const Nanoseconds begin = recorded.since() > before ? std::max(before, start) : before;
    if (recorded.on() && recorded.since() <= begin) found.iterations.push_back({begin, end});
    if (found.in_parts) pace.add(end - start, known.within(start, end));
    before = end;
  }
  found.adds_ns = pace.added_ns();
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

std::vector<TimeSpan> without(const std::vector<TimeSpan>& stretches, std::span<const TimeSpan> left_out) {
  std::vector<TimeSpan> left;
  auto cut = left_out.begin();
  for (const TimeSpan& stretch : stretches) {
    Nanoseconds from = stretch.from;
    while (cut != left_out.end() && cut->to <= from) ++cut;
    for (auto at = cut; at != left_out.end() && at->from < stretch.to; ++at) {
      if (from < at->from) left.push_back({from, at->from});
      from = std::max(from, at->to);
    }
    if (from < stretch.to) left.push_back({from, stretch.to});
  }
  return left;
}

std::optional<WholeStretches> whole_stretches(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                              trace::GpuNumber gpu, std::span<const TimeSpan> rare) {
  WholeStretches whole;
  const auto add_all = [&](const std::vector<TimeSpan>& spans) {
    for (const TimeSpan& span : without(spans, rare)) {
      whole.add(span.from, span.to);
      ++whole.iterations;
    }
  };
  const RecordedIterations recorded =
      trace.recorded_in_parts() ? recorded_iterations(trace, from, to, gpu) : RecordedIterations{};
  if (!recorded.in_parts) {
    if (rare.empty()) return std::nullopt;
    add_all({{from, to}});
    return whole;
  }
  whole.by_iteration = recorded.any;
  add_all(recorded.any ? recorded.iterations : recorded_time(trace, from, to, gpu));
  if (!recorded.any) whole.iterations = 0;
  return whole;
}

}  // namespace lanescope::analysis
