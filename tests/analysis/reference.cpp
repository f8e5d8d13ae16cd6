#include "reference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace lanescope::analysis_test {

using analysis::BubbleCause;
using base::Nanoseconds;
using trace::Event;
using trace::LaneKind;

namespace {

struct Interval {
  Nanoseconds start, end;
};

Nanoseconds covered(const std::vector<Interval>& intervals, Nanoseconds from, Nanoseconds to) {
  std::set<Nanoseconds> times{from, to};
  for (const Interval& i : intervals)
    for (const Nanoseconds t : {i.start, i.end})
      if (t > from && t < to) times.insert(t);
  Nanoseconds sum = 0;
  for (auto t = times.begin(), u = std::next(t); u != times.end(); t = u++)
    if (std::any_of(intervals.begin(), intervals.end(),
                    [&](const Interval& i) { return i.start <= *t && i.end >= *u && i.end > i.start; }))
      sum += *u - *t;
  return sum;
}

struct Facts {
  const trace::Trace& trace;
  std::vector<Event> calls, ops, host_waits;
  std::map<std::uint32_t, Event> issuer;  // by correlation

  std::int64_t thread(const Event& e) const { return trace.lane(e.lane).info().tid; }
  LaneKind kind(const Event& e) const { return trace.lane(e.lane).info().kind; }
  std::string name(const Event& e) const { return std::string(trace.names().text(e.name)); }
  std::int32_t stream(const Event& e) const { return trace.lane(e.lane).info().stream; }
  /// StartOrEnd: it blocks no thread.
  BubbleCause held_by(const Event& call) const {
    if (name(call) == "cudaHostAlloc") return BubbleCause::Pinning;
    if (name(call) == "cudaMalloc") return BubbleCause::Allocation;
    const bool stages = name(call) == "cudaMemcpyAsync" && trace::is_blocking(call) && !trace::is_sync(call);
    return stages ? BubbleCause::Staging : BubbleCause::StartOrEnd;
  }
  bool holds(const Event& call) const { return held_by(call) != BubbleCause::StartOrEnd; }
};

// The rules as stated in summary.h and gap_causes.h, applied to every call of the trace.
void explain(const Facts& facts, ReferenceBubble& gap) {
  const Event* next = nullptr;  // where several start at once, of the first lane
  for (const Event& op : facts.ops)
    if (op.start_ns == gap.end && op.end_ns > op.start_ns && (!next || op.lane < next->lane)) next = &op;
  const auto issuer = facts.issuer.find(next->correlation);
  const Event* launch = next->correlation != 0 && issuer != facts.issuer.end() ? &issuer->second : nullptr;
  const Nanoseconds issued = launch ? launch->start_ns : gap.end;

  // Of the operations that end where the gap starts, the one that began first.
  const Event* before = nullptr;
  for (const Event& op : facts.ops) {
    if (op.end_ns != gap.start || op.end_ns <= op.start_ns) continue;
    if (!before || std::pair(op.start_ns, op.lane) < std::pair(before->start_ns, before->lane)) before = &op;
  }
  const bool between_nodes = launch && before && before->correlation == next->correlation;

  const Event* sync = nullptr;
  for (const Event& c : facts.calls) {
    if (!trace::is_sync(c) || c.start_ns > gap.start || c.end_ns > issued) continue;
    const bool waited_until_then = c.end_ns - trace::parts_of(c).returning == gap.start;
    if (!(gap.start < c.end_ns || waited_until_then)) continue;
    const auto rank = [&](const Event& e) { return std::pair(launch && e.lane == launch->lane, e.end_ns); };
    if (!sync || rank(c) > rank(*sync)) sync = &c;
  }
  std::vector<Interval> held, waited;
  std::map<BubbleCause, std::vector<Interval>> held_for;
  for (const Event& c : facts.calls) {
    if (!facts.holds(c) || (launch && facts.thread(c) != facts.thread(*launch))) continue;
    held.push_back({c.start_ns, c.end_ns});
    held_for[facts.held_by(c)].push_back(held.back());
  }
  for (const Event& w : facts.host_waits)
    if (!launch || facts.thread(w) == facts.thread(*launch)) waited.push_back({w.start_ns, w.end_ns});
  const Nanoseconds late_until = std::min(issued, gap.end);
  const Nanoseconds data = late_until > gap.start ? covered(waited, gap.start, late_until) : 0;
  const bool copied_longer = launch && facts.holds(*launch) && gap.end - late_until > data;
  const auto longest_of = [&gap](const std::vector<Interval>& intervals, Nanoseconds until) {
    Interval best{0, 0};
    Nanoseconds longest = 0;
    for (const Interval& i : intervals) {
      const Nanoseconds share = std::min(i.end, until) - std::max(i.start, gap.start);
      if (share > longest) best = i;
      longest = std::max(longest, share);
    }
    return best;
  };

  const auto before_launch = [&](BubbleCause cause) {
    return late_until > gap.start ? covered(held_for[cause], gap.start, late_until) : 0;
  };
  const Nanoseconds pinning = before_launch(BubbleCause::Pinning), allocating = before_launch(BubbleCause::Allocation);
  const Nanoseconds kept = pinning + allocating;

  Nanoseconds back = gap.start;
  if (between_nodes) {
    gap.cause = BubbleCause::GraphGap;
  } else if (2 * data > late_until - gap.start && data > 0 && !copied_longer) {
    gap.cause = BubbleCause::Loader;
    back = std::min(longest_of(waited, late_until).end, issued);
  } else if (sync && 2 * kept > late_until - gap.start && kept > 0) {
    gap.cause = allocating > pinning ? BubbleCause::Allocation : BubbleCause::Pinning;
    back = std::min(longest_of(held_for[gap.cause], late_until).end, issued);
  } else if (sync) {
    const Nanoseconds worked = issued - sync->end_ns;
    const bool works = launch && worked > 1'000'000 && worked > sync->duration() && 2 * worked > gap.end - gap.start;
    gap.cause = works ? BubbleCause::Cpu : BubbleCause::AfterSync;
    back = sync->end_ns;
  } else if (launch && facts.holds(*launch)) {
    gap.cause = facts.held_by(*launch);
  } else if (covered(held, gap.start, gap.end) > (gap.end - gap.start) / 2) {
    Nanoseconds most = 0;
    for (const BubbleCause cause : {BubbleCause::Staging, BubbleCause::Pinning, BubbleCause::Allocation}) {
      const Nanoseconds ns = covered(held_for[cause], gap.start, gap.end);
      if (ns > most) gap.cause = cause;
      most = std::max(most, ns);
    }
    const Nanoseconds end = longest_of(held_for[gap.cause], gap.end).end;
    back = end <= issued ? end : gap.start;
  } else if (!launch) {
    gap.cause = BubbleCause::Unknown;
    return;  // without parts
  } else if (2 * std::max<Nanoseconds>(0, late_until - gap.start) > gap.end - gap.start) {
    gap.cause = BubbleCause::Cpu;
  } else {
    const bool behind =
        before && before->kind == trace::EventKind::Copy && facts.stream(*before) != facts.stream(*next);
    gap.cause = behind && launch->end_ns <= gap.start ? BubbleCause::Dependency
                : gap.end - launch->end_ns > 100'000  ? BubbleCause::GpuWait
                                                      : BubbleCause::LaunchLatency;
  }
  back = std::max(back, gap.start);
  const Nanoseconds begun = std::max(back, std::min(issued, gap.end));
  gap.wake = back - gap.start;
  gap.cpu = begun - back;
  gap.launch = gap.end - begun;
}

std::int64_t bytes_until(const Event& copy, Nanoseconds t) {
  const auto bytes = static_cast<std::int64_t>(trace::bytes_of(copy));
  if (t >= copy.end_ns && t > copy.start_ns) return bytes;
  if (t <= copy.start_ns) return 0;
  return std::llround(static_cast<double>(bytes) *
                      (static_cast<double>(t - copy.start_ns) / static_cast<double>(copy.end_ns - copy.start_ns)));
}

}  // namespace

std::array<Nanoseconds, analysis::kBubbleCauses> Reference::by_cause() const {
  std::array<Nanoseconds, analysis::kBubbleCauses> sums{};
  for (const ReferenceBubble& b : bubbles) sums[static_cast<std::size_t>(b.cause)] += b.end - b.start;
  return sums;
}

Nanoseconds Reference::bubble_sum() const {
  Nanoseconds sum = 0;
  for (const ReferenceBubble& b : bubbles) sum += b.end - b.start;
  return sum;
}

Reference reference(const trace::Trace& trace, const std::vector<Event>& events, Nanoseconds from, Nanoseconds to) {
  Reference r;
  Facts facts{trace, {}, {}, {}, {}};
  std::vector<Interval> work, kernels, uploads, downloads;
  std::map<trace::LaneId, std::vector<Interval>> waits;
  std::map<std::int64_t, std::vector<Interval>> loader_waits;
  for (const Event& e : events) {
    const bool starts_inside = e.start_ns >= from && e.start_ns < to;
    const LaneKind kind = facts.kind(e);
    if (trace::is_host_wait(e)) {
      facts.host_waits.push_back(e);
      loader_waits[facts.thread(e)].push_back({e.start_ns, e.end_ns});
    }
    if (kind == LaneKind::Calls) {
      facts.calls.push_back(e);
      if (e.correlation != 0) facts.issuer[e.correlation] = e;
      if (trace::is_blocking(e)) waits[e.lane].push_back({e.start_ns + trace::parts_of(e).own, e.end_ns});
      r.syncs += starts_inside && trace::is_sync(e);
      r.launches += starts_inside && facts.name(e) == "cudaLaunchKernel";
    } else if (trace::is_gpu_work_lane(kind)) {
      facts.ops.push_back(e);
      work.push_back({e.start_ns, e.end_ns});
      if (kind == LaneKind::Kernels) kernels.push_back(work.back());
      if (kind == LaneKind::CopyH2D) uploads.push_back(work.back());
      if (kind == LaneKind::CopyD2H) downloads.push_back(work.back());
      if (kind == LaneKind::CopyH2D) r.h2d_bytes += bytes_until(e, to) - bytes_until(e, from);
      if (kind == LaneKind::CopyD2H) r.d2h_bytes += bytes_until(e, to) - bytes_until(e, from);
      r.ops += starts_inside;
    }
  }
  r.busy = covered(work, from, to);
  r.kernel = covered(kernels, from, to);
  r.h2d = covered(uploads, from, to);
  r.d2h = covered(downloads, from, to);
  for (const auto& [lane, intervals] : waits) r.wait += covered(intervals, from, to);
  for (const auto& [thread, intervals] : loader_waits) r.loader_wait += covered(intervals, from, to);

  // Bubbles: start where no work runs, end where the next begins.
  for (Nanoseconds t = from; t < to;) {
    Nanoseconds running_until = t, next_start = to;
    for (const Interval& w : work) {
      if (w.end <= w.start) continue;
      if (w.start <= t && w.end > t) running_until = std::max(running_until, w.end);
      if (w.start > t) next_start = std::min(next_start, w.start);
    }
    if (running_until > t) {
      t = running_until;
      continue;
    }
    ReferenceBubble gap{t, next_start, BubbleCause::StartOrEnd, 0, 0, 0};
    if (t > from && next_start < to) explain(facts, gap);
    r.bubbles.push_back(gap);
    t = next_start;
  }

  // Run-ahead: each call with operations, from its start to the end of the last of them; others by themselves.
  std::vector<Interval> outstanding;
  std::map<std::uint32_t, std::size_t> of_call;
  for (const Event& op : facts.ops) {
    const auto issuer = facts.issuer.find(op.correlation);
    const bool known = op.correlation != 0 && issuer != facts.issuer.end();
    const auto [place, is_new] = of_call.try_emplace(known ? op.correlation : 0, outstanding.size());
    if (known && !is_new) {
      outstanding[place->second].end = std::max(outstanding[place->second].end, op.end_ns);
    } else {
      place->second = outstanding.size();
      outstanding.push_back({known ? issuer->second.start_ns : op.start_ns, op.end_ns});
    }
  }
  std::set<Nanoseconds> issues{from};
  for (const Interval& o : outstanding) {
    r.run_ahead_ns += std::max<Nanoseconds>(0, std::min(o.end, to) - std::max(o.start, from));
    if (o.start >= from && o.start < to) issues.insert(o.start);
  }
  for (const Nanoseconds t : issues)
    r.run_ahead_max = std::max<std::int64_t>(
        r.run_ahead_max, std::count_if(outstanding.begin(), outstanding.end(),
                                       [t](const Interval& o) { return o.start <= t && t < o.end; }));
  return r;
}

}  // namespace lanescope::analysis_test
